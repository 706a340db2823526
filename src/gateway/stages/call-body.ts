import { GatelogError } from '../../model/errors.ts';
import { isCounted, reserveBody, readReservedBody } from '../bodies/reserved-body.ts';
import { rememberShape, scannedInlineMaxBytes } from '../bodies/shape.ts';
import { bodyOwnerOf } from '../bodies/threads.ts';
import type { AuthenticatedCall } from '../call/call.ts';
import { isToBeSigned } from '../credentials/amazon.ts';
import { declaredLength, mayBeJson, readBody, type RequestBody } from '../http/request-body.ts';
import { needsBody } from '../limits/call-limits.ts';
import type { ForwardPorts } from '../call/ports.ts';
import { wantsStreamUsage } from '../models/outgoing-body.ts';
import type { Route } from '../routing/routes.ts';
import type { Wait, WaitFor } from './waits.ts';

/** Reads the body: buffered as far as the call needs it, one that is not small once there is memory for it. */
export function receivedBody(ports: ForwardPorts, admitted: AuthenticatedCall, route: Route): WaitFor<RequestBody> {
  const { call, admission } = admitted;
  const { request } = call;
  const bufferMaxBytes = Math.min(maxBufferedBytes(ports, admitted, route), ports.limits.requestMaxBytes);
  if (!isCounted(request, bufferMaxBytes)) return (ready) => readBody(request, bufferMaxBytes, ready);
  return (ready, fail) => {
    const isEdited = route.routedByModel || wantsStreamUsage(call, route);
    const copies = call.head.directives.attempts === undefined ? 1 + Number(isEdited) : 3;
    const reservation = reserveBody(ports.bodyMemory, call, admission.principal.organizationId);
    readReservedBody(request, { reservation, bufferMaxBytes, copies, isNeeded: cannotPass(admitted, route) }, (body) => {
      if (body instanceof GatelogError) fail(body);
      else ready(body);
    });
  };
}

/** A body that is declared to have up to this size is held where there is memory for it, in case its connection to the provider is stale. */
const repeatableMaxBytes = scannedInlineMaxBytes;

/** Up to which size the body is buffered. */
function maxBufferedBytes({ limits }: ForwardPorts, admitted: AuthenticatedCall, route: Route): number {
  if (needsBuffering(admitted, route)) return limits.routeMaxBytes;
  // TRICKY: where the model decides, it would be looked for in what is no JSON too.
  if (route.routedByModel) return 0;
  const length = declaredLength(admitted.call.request);
  return length === undefined || length > repeatableMaxBytes ? 0 : Math.min(repeatableMaxBytes, limits.routeMaxBytes);
}

/** Whether the body is buffered before the call goes on, unless it is too large. */
function needsBuffering(admitted: AuthenticatedCall, route: Route): boolean {
  const { call } = admitted;
  // A body that may be sent again is buffered, be it JSON or not.
  if (call.head.directives.attempts !== undefined || cannotPass(admitted, route)) return true;
  return wantsStreamUsage(call, route) && mayBeJson(call.request);
}

/** Whether the call cannot be made without its buffered body; other calls fall back to streaming it. */
function cannotPass({ call, policies }: AuthenticatedCall, route: Route): boolean {
  const { directives } = call.head;
  if (typeof route.destination === 'string' || directives.cache !== undefined || isToBeSigned(call.head, route)) return true;
  // Each listed target may have a body of its own.
  if (directives.attempts?.targets !== undefined) return true;
  return (route.routedByModel || (policies.length > 0 && needsBody(policies, directives))) && mayBeJson(call.request);
}

/** Scans a large body in a thread; later searches in it use the result. @returns undefined for any other body. */
export function scanOf({ largeBodies }: ForwardPorts, { call, admission }: AuthenticatedCall, body: RequestBody): Wait | undefined {
  if (!('buffered' in body) || body.buffered.length <= scannedInlineMaxBytes) return undefined;
  return (resume, fail) => {
    largeBodies.shape(bodyOwnerOf(admission.principal.organizationId, call), body.buffered).then((shape) => {
      rememberShape(body.buffered, shape);
      resume();
    }, fail);
  };
}
