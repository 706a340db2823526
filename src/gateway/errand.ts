import { askLimits, wholeJson } from './call-limits.ts';
import { type AdmittedCall, type Call, type Errand, type ForwardPorts, hasLeft } from './call.ts';
import { credentialsFor } from './credentials.ts';
import type { Grant } from './limits.ts';
import { findModelField, replaceModel } from './model-field.ts';
import type { ProviderTable } from './providers.ts';
import { mayBeJson, type RequestBody } from './request-body.ts';
import { type Route, routeByModel } from './routes.ts';
import { askForUsage, takesUsageQuestion } from './stream-usage.ts';

/**
 * Decides all about a call but its record: the address, the credential, the body as it goes out; and asks its limits.
 * @throws GatelogError what speaks against the call, `LimitReached` among others.
 */
export function prepare(ports: ForwardPorts, admitted: AdmittedCall, route: Route, body: RequestBody): Errand {
  const { call, admission, policies } = admitted;
  const { destination } = route;
  const target = typeof destination === 'string' ? undefined : destination.target(route.path);
  const credentials = credentialsFor(route, admission, ports.providerKeys);
  const asked = wantsUsage(call, route) && 'whole' in body ? askForUsage(body.whole) : undefined;
  const outgoing = asked === undefined ? body : { whole: asked };
  // A call that goes nowhere uses nothing up.
  const grant = policies.length === 0 || hasLeft(call) ? undefined : grantFor(ports, admitted, route, outgoing);
  return { route, target, credentials, outgoing, usageAsked: asked !== undefined, grant };
}

/** @throws LimitReached, among others. */
function grantFor(ports: ForwardPorts, { call, admission, identity, policies }: AdmittedCall, route: Route, outgoing: RequestBody): Grant {
  const { directives } = call.head;
  return askLimits(ports, {
    organizationId: admission.principal.organizationId,
    requestId: identity.requestId,
    directives,
    policies,
    outgoing: {
      method: call.request.method ?? 'GET',
      provider: route.provider,
      path: route.path,
      body: wholeJson(outgoing, mayBeJson(call.request)),
      modelOverride: directives.tags.modelOverride,
      at: call.openedAt,
    },
  });
}

/** Whether the usage of this call's stream is asked for. */
export function wantsUsage({ head }: Call, { path }: Route): boolean {
  return head.directives.streamUsage && takesUsageQuestion(path);
}

/** The body as it goes out: with `provider/model` only the bytes of the model's name change. */
export function applyModel(route: Route, body: RequestBody, providers: ProviderTable): { route: Route; outgoing: RequestBody } {
  if (!route.routedByModel || !('whole' in body)) return { route, outgoing: body };
  const field = findModelField(body.whole);
  const byModel = field === undefined ? undefined : routeByModel(route, field.text, providers);
  if (field === undefined || byModel === undefined) return { route, outgoing: body };
  return { route: byModel.route, outgoing: { whole: replaceModel(body.whole, field, byModel.model) } };
}
