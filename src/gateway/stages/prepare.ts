import type { Tags } from '../../model/record/exchange.ts';
import { countCopies } from '../bodies/reserved-body.ts';
import { findStoredPrompt, promptNotFilledIn, taggedWith } from '../bodies/stored-prompt.ts';
import { bodyOwnerOf } from '../bodies/threads.ts';
import type { AuthenticatedCall, RequestPlan } from '../call/call.ts';
import { checkSize, type RequestBody } from '../http/request-body.ts';
import { bodiesToParse, planRequest } from './plan.ts';
import type { ForwardPorts } from '../call/ports.ts';
import { type Addressed, routeByModel } from '../models/outgoing-body.ts';
import type { Route } from '../routing/routes.ts';

/** A call with its body. */
export interface ReadCall {
  readonly admitted: AuthenticatedCall;
  /** By the path alone. */
  readonly pathRoute: Route;
  /** As the caller sent it, and as it is recorded. */
  readonly received: RequestBody;
  /** Without a reference to a stored prompt. */
  readonly body: RequestBody;
}

/**
 * Takes the reference to a prompt stored at Helicone out of the body and adds it to the tags.
 * @throws GatelogError for a body that is too large, and for a reference without messages.
 */
export function readBodyOf({ limits }: ForwardPorts, admitted: AuthenticatedCall, pathRoute: Route, received: RequestBody): ReadCall {
  if ('streaming' in received) checkSize(received.streaming, limits.requestMaxBytes);
  const prompt = pathRoute.routedByModel && 'buffered' in received ? findStoredPrompt(received.buffered) : undefined;
  if (prompt === undefined) return { admitted, pathRoute, received, body: received };
  const { tags } = admitted.call.head.directives;
  return { admitted: withTags(admitted, taggedWith(tags, prompt)), pathRoute, received, body: { buffered: prompt.body } };
}

function withTags(admitted: AuthenticatedCall, tags: Tags): AuthenticatedCall {
  const { call } = admitted;
  const { head } = call;
  return { ...admitted, call: { ...call, head: { ...head, directives: { ...head.directives, tags } } } };
}

/** Decides the provider. @throws as {@link routeByModel} does. */
export function address(ports: ForwardPorts, { admitted, pathRoute, body }: ReadCall): Addressed {
  const { principal, providerCredentials: credentials } = admitted.admission;
  return routeByModel({ route: pathRoute, organizationId: principal.organizationId, credentials }, body, ports);
}

/** Decides all else. @throws as {@link planRequest} does. */
export function planCall(ports: ForwardPorts, { admitted, pathRoute, received, body }: ReadCall, addressed: Addressed): RequestPlan {
  const plan = planRequest(ports, admitted, { pathRoute, body }, addressed);
  const { bodyReservation } = admitted.call;
  if (bodyReservation !== undefined) countCopies(bodyReservation, received, plan);
  return body === received ? plan : { ...plan, warnings: [...plan.warnings, promptNotFilledIn] };
}

/** Has a thread read what the limits need of large bodies. @returns undefined for nearly every call. */
export function withLargeSummaries(ports: ForwardPorts, { admitted, body }: ReadCall, plan: RequestPlan): Promise<RequestPlan> | undefined {
  const bodies = bodiesToParse(admitted, plan);
  if (bodies === undefined || !('buffered' in plan.outgoing)) return undefined;
  // An override replaces members of the caller's own body, which is the one to read.
  const read = plan.bodyOverride !== undefined && 'buffered' in body ? body.buffered : plan.outgoing.buffered;
  return ports.largeBodies
    .summaries(bodyOwnerOf(admitted.admission.principal.organizationId, admitted.call), read, bodies)
    .then((summaries) => ({ ...plan, billedSummaries: summaries.map((summary) => ({ summary })) }));
}
