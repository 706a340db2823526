import type { Call } from '../call.ts';
import { maxFallbacks } from '../directives/fallbacks.ts';
import { replaceModel } from '../bodies/shape.ts';
import { findModelField, type ModelField } from '../json/model-field.ts';
import { type ListedModel, type ModelSurroundings, type NamedFrom, readModelList, resolveModel } from './by-model.ts';
import { isCompressed, mayHoldJson, type RequestBody } from '../http/request-body.ts';
import type { Route } from './routes.ts';
import { askForStreamUsage, supportsUsageQuestion } from '../relay/stream-usage.ts';

/** A route that is decided, with the body as it goes there. */
export interface Addressed {
  readonly route: Route;
  readonly outgoing: RequestBody;
  /** The model's name as it goes out, where the caller wrote it with its provider. */
  readonly model: string | undefined;
  /** The gateway chose the provider by the model's name alone. */
  readonly isPicked: boolean;
  /** The body names several models: these come after the first. */
  readonly furtherModels: readonly ListedModel[] | undefined;
  /** Providers that the body's list takes out for all that comes behind it. */
  readonly excluded: ReadonlySet<string> | undefined;
}

/**
 * Decides the route by the model: with `provider/model` only the bytes of its name change. Of a list of models the first is sent.
 * @throws GatelogError `invalid_model` for a list or a name that cannot be read, `unknown_model` for one of a maker for whom there is no key.
 */
export function routeByModel(from: NamedFrom, body: RequestBody, around: ModelSurroundings): Addressed {
  const { route } = from;
  if (!route.routedByModel || !('whole' in body)) return unrouted(route, body);
  const field = findModelField(body.whole);
  if (field === undefined) return unrouted(route, body);
  if (field.text.includes(',')) return firstOfList(from, { body: body.whole, field }, around);
  const byModel = resolveModel(from, field.text, around);
  if (byModel === undefined) return unrouted(route, body);
  const outgoing = byModel.model === field.text ? body : { whole: replaceModel(body.whole, field, byModel.model) };
  return {
    route: byModel.route,
    outgoing,
    model: byModel.model,
    isPicked: byModel.isPicked === true,
    furtherModels: undefined,
    excluded: undefined,
  };
}

/** `a, b`: the short form of fallbacks. */
function firstOfList(
  from: NamedFrom,
  { body, field }: { readonly body: Buffer; readonly field: ModelField },
  around: ModelSurroundings,
): Addressed {
  const { models, excluded } = readModelList(from, field.text, around, maxFallbacks + 1);
  const [{ model, way }, ...furtherModels] = models;
  return {
    route: way?.route ?? from.route,
    outgoing: { whole: replaceModel(body, field, way?.model ?? model) },
    model: way?.model,
    isPicked: way?.isPicked === true,
    furtherModels,
    excluded,
  };
}

function unrouted(route: Route, outgoing: RequestBody): Addressed {
  return { route, outgoing, model: undefined, isPicked: false, furtherModels: undefined, excluded: undefined };
}

/** Whether the model could have decided the route, and was not looked for, as the body is not here or compressed. */
export function modelUnread({ request }: Call, { routedByModel }: Route, body: RequestBody): boolean {
  if (!routedByModel || ('whole' in body && !isCompressed(request))) return false;
  return mayHoldJson(request) && !('whole' in body && body.whole.length === 0);
}

/** Whether the usage of this call's stream is asked for. */
export function wantsStreamUsage({ head }: Call, { path, provider }: Route): boolean {
  return head.directives.streamUsage && supportsUsageQuestion(path) && !unasked.has(provider);
}

/** They say at the end of every stream what was used, and refuse the question. */
const unasked: ReadonlySet<string> = new Set(['mistral']);

/** The body with the question for a stream's usage; undefined where it is not wanted, or there is nothing to add. */
export function addIncludeUsage(call: Call, route: Route, body: RequestBody): Buffer | undefined {
  return wantsStreamUsage(call, route) && 'whole' in body ? askForStreamUsage(body.whole) : undefined;
}
