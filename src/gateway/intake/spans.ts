import { GatelogError } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import type { SpansResponse } from '../../model/record/sent-spans.ts';
import { type Signal, signalOf } from '../../model/vocabulary/log-paths.ts';
import { enforceWriteTimeout } from '../../platform/http/write-timeout.ts';
import { readIntakeBody } from './intake-body.ts';
import type { Call } from '../call/call.ts';
import { refuseUnrecorded } from '../http/error-response.ts';
import { unrecordedHeaders } from '../http/server-timing.ts';
import type { ForwardPorts } from '../call/ports.ts';

/** The body, and what is read of it. */
const copies = 2;

/**
 * Takes spans, and what exporters send beside them, on the listener of the gateway: no call of a provider, and no record of its own. @returns false for any other path. @throws
 * GatelogError for a body that is declared too large.
 */
export function answerSpans(ports: ForwardPorts, call: Call, principal: Principal): boolean {
  const holds = signalOf(call.path);
  if (holds === undefined) return false;
  if (call.request.method !== 'POST') throw new GatelogError('method_not_allowed', 'Spans, logs and metrics are sent by POST.');
  const { requestMaxBytes, spansMaxBytes } = ports.limits;
  const maxBytes = Math.min(requestMaxBytes, spansMaxBytes);
  readIntakeBody(ports, call, { ...principal, maxBytes, setting: 'GATELOG_OTLP_MAX_BYTES', copies }, (body) => {
    if (body instanceof GatelogError) refuse(ports, call, body);
    else void take(ports, call, principal, { holds, body });
  });
  return true;
}

interface Sent {
  readonly holds: Signal;
  readonly body: Buffer;
}

async function take(ports: ForwardPorts, call: Call, principal: Principal, sent: Sent): Promise<void> {
  const { request, bodyReservation } = call;
  send(ports, call, await ports.takeSpans(principal, { rawHeaders: request.rawHeaders, ...sent, signal: bodyReservation?.released }));
}

function send(
  { clock, limits }: ForwardPorts,
  { response, startedAt }: Call,
  { status, contentType, body, retryAfterSeconds }: SpansResponse,
): void {
  if (response.headersSent || response.destroyed) return;
  const later = retryAfterSeconds === undefined ? [] : ['retry-after', String(retryAfterSeconds)];
  const own = unrecordedHeaders(clock.monotonic() - startedAt);
  response.writeHead(status, ['content-type', contentType, 'content-length', String(body.length), ...later, ...own]);
  response.end(body);
  enforceWriteTimeout(response, limits.clientStallMs);
}

function refuse({ clock, limits }: ForwardPorts, { response, startedAt }: Call, error: GatelogError): void {
  refuseUnrecorded(response, error, unrecordedHeaders(clock.monotonic() - startedAt), limits.clientStallMs);
}
