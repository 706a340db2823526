import { dropReceived } from '../bodies/reserved-body.ts';
import { isDisconnected, type RecordedCall, type RequestPlan } from '../call/call.ts';
import { sendTo } from '../call/dispatch.ts';
import type { RequestBody } from '../http/request-body.ts';
import type { ForwardPorts } from '../call/ports.ts';
import { runAttempts } from '../retry/attempts.ts';
import { respond } from '../upstream/response-sink.ts';

export function recordRequest({ call, recorder }: RecordedCall, received: RequestBody, plan: RequestPlan): void {
  recorder.begin('buffered' in received ? received.buffered : undefined);
  if (call.bodyReservation !== undefined) dropReceived(call.bodyReservation, plan);
}

/** Responds from the cache, or sends. */
export function carryOut(ports: ForwardPorts, open: RecordedCall, plan: RequestPlan): void {
  if (isDisconnected(open.call)) open.relay.onClientDisconnect();
  else if (plan.cache?.kind === 'hit') respond(open.sink, plan.cache.response);
  else if (plan.retryPlan === undefined) sendTo(ports, open, plan, open.sink);
  else runAttempts(ports, open, plan, plan.retryPlan);
}
