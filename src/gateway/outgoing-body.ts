import { GatelogError } from '../model/errors.ts';
import type { Call } from './call.ts';
import { mostFallbacks } from './fallback-list.ts';
import { findModelField, replaceModel } from './model-field.ts';
import type { ProviderTable } from './providers.ts';
import { isCompressed, mayHoldJson, type RequestBody } from './request-body.ts';
import { type Route, routeByModel } from './routes.ts';
import { askForUsage, takesUsageQuestion } from './stream-usage.ts';

/** A route that is decided, with the body as it goes there. */
export interface Addressed {
  readonly route: Route;
  readonly outgoing: RequestBody;
  /** The model's name as it goes out, where the caller wrote it with its provider. */
  readonly model: string | undefined;
  /** The body names several models: these come after the first. */
  readonly furtherModels: readonly string[] | undefined;
}

/**
 * Decides the route by the model: with `provider/model` only the bytes of its name change. Of a list of models the first is sent.
 * @throws GatelogError `invalid_directive` for a list that cannot be read.
 */
export function applyModel(route: Route, body: RequestBody, providers: ProviderTable): Addressed {
  if (!route.routedByModel || !('whole' in body)) return asItCame(route, body);
  const field = findModelField(body.whole);
  if (field === undefined) return asItCame(route, body);
  const models = field.text.includes(',') ? readModels(field.text) : undefined;
  const model = models?.[0] ?? field.text;
  const byModel = routeByModel(route, model, providers);
  if (byModel === undefined && models === undefined) return asItCame(route, body);
  const outgoing = { whole: replaceModel(body.whole, field, byModel?.model ?? model) };
  return { route: byModel?.route ?? route, outgoing, model: byModel?.model, furtherModels: models?.slice(1) };
}

function asItCame(route: Route, outgoing: RequestBody): Addressed {
  return { route, outgoing, model: undefined, furtherModels: undefined };
}

/** Whether the model could have decided the route, and was not looked for, as the body is not here or compressed. */
export function hidesModel({ request }: Call, { routedByModel }: Route, body: RequestBody): boolean {
  if (!routedByModel || ('whole' in body && !isCompressed(request))) return false;
  return mayHoldJson(request) && !('whole' in body && body.whole.length === 0);
}

/** `a, b`: the short form of fallbacks. */
function readModels(text: string): readonly string[] {
  const models = text.split(',').map((model) => model.trim());
  if (models.includes('') || models.length > mostFallbacks + 1) {
    throw new GatelogError(
      'invalid_directive',
      `The body's model is a list: write 2 to ${mostFallbacks + 1} names with a comma between them, none of them empty.`,
    );
  }
  return models;
}

/** Whether the usage of this call's stream is asked for. */
export function wantsUsage({ head }: Call, { path, provider }: Route): boolean {
  return head.directives.streamUsage && takesUsageQuestion(path) && !unasked.has(provider);
}

/** They say at the end of every stream what was used, and refuse the question. */
const unasked: ReadonlySet<string> = new Set(['mistral']);

/** The body with the question for a stream's usage; undefined where it is not wanted, or there is nothing to add. */
export function withUsageQuestion(call: Call, route: Route, body: RequestBody): Buffer | undefined {
  return wantsUsage(call, route) && 'whole' in body ? askForUsage(body.whole) : undefined;
}
