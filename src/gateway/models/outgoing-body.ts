import { maxFallbacks } from '../directives/fallbacks.ts';
import { replaceModel } from '../bodies/shape.ts';
import { findModelField, type ModelField } from '../json/model-field.ts';
import { type ListedModel, type RoutingPorts, type NamedFrom, readModelList, resolveModel } from './by-model.ts';
import type { RequestHead } from '../directives/request-head.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { isCompressed, mayHoldJson, type RequestBody } from '../http/request-body.ts';
import { providerDeclaration } from '../../model/providers/providers.ts';
import type { Route } from '../routing/routes.ts';
import { withIncludeUsage, supportsIncludeUsage } from '../relay/stream-usage.ts';

export interface Addressed {
  readonly route: Route;
  readonly outgoing: RequestBody;
  /** The model as it is sent, where the caller wrote it with a provider. */
  readonly model: string | undefined;
  /** The gateway chose the provider by a bare model name. */
  readonly isPicked: boolean;
  /** The body's list of models after the first one. */
  readonly furtherModels: readonly ListedModel[] | undefined;
  /** Providers that the body's list excludes. */
  readonly excluded: ReadonlySet<string> | undefined;
}

/**
 * Routes by the body's model. With `provider/model` only the bytes of the name change; of a list the first model is sent.
 * @throws GatelogError `invalid_model` for a malformed list or name, `unknown_model` for a model whose maker has no key.
 */
export function routeByModel(from: NamedFrom, body: RequestBody, ports: RoutingPorts): Addressed {
  const { route } = from;
  if (!route.routedByModel || !('buffered' in body)) return unrouted(route, body);
  const field = findModelField(body.buffered);
  if (field === undefined) return unrouted(route, body);
  if (field.text.includes(',')) return routeByFirstModel(from, { body: body.buffered, field }, ports);
  const byModel = resolveModel(from, field.text, ports);
  if (byModel === undefined) return unrouted(route, body);
  const outgoing = byModel.model === field.text ? body : { buffered: replaceModel(body.buffered, field, byModel.model) };
  return { ...unrouted(byModel.route, outgoing), model: byModel.model, isPicked: byModel.isPicked === true };
}

/** `a, b`: the short form of fallbacks. */
function routeByFirstModel(
  from: NamedFrom,
  { body, field }: { readonly body: Buffer; readonly field: ModelField },
  ports: RoutingPorts,
): Addressed {
  const { models, excluded } = readModelList(from, field.text, ports, maxFallbacks + 1);
  const [{ model, modelRoute }, ...furtherModels] = models;
  return {
    route: modelRoute?.route ?? from.route,
    outgoing: { buffered: replaceModel(body, field, modelRoute?.model ?? model) },
    model: modelRoute?.model,
    isPicked: modelRoute?.isPicked === true,
    furtherModels,
    excluded,
  };
}

function unrouted(route: Route, outgoing: RequestBody): Addressed {
  return { route, outgoing, model: undefined, isPicked: false, furtherModels: undefined, excluded: undefined };
}

/** Whether the model could have decided the route but was not read, because the body is compressed or not buffered. */
export function modelUnread({ request }: { readonly request: IncomingRequest }, { routedByModel }: Route, body: RequestBody): boolean {
  if (!routedByModel || ('buffered' in body && !isCompressed(request))) return false;
  return mayHoldJson(request) && !('buffered' in body && body.buffered.length === 0);
}

export function wantsStreamUsage({ head }: { readonly head: RequestHead }, { path, provider }: Route): boolean {
  return head.directives.streamUsage && supportsIncludeUsage(path) && providerDeclaration(provider).rejectsUsageOption !== true;
}

/** @returns undefined where `include_usage` is not wanted or already there. */
export function addIncludeUsage(call: { readonly head: RequestHead }, route: Route, body: RequestBody): Buffer | undefined {
  return wantsStreamUsage(call, route) && 'buffered' in body ? withIncludeUsage(body.buffered) : undefined;
}
