import { GatelogError } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import type { TakenLog } from '../../model/record/sent-log.ts';
import { type LogPath, logPathOf } from '../../model/vocabulary/log-paths.ts';
import { enforceWriteTimeout } from '../../platform/http/write-timeout.ts';
import { readIntakeBody } from './intake-body.ts';
import { type Call, isDisconnected } from '../call/call.ts';
import { rejectUnauthenticated } from '../call/exchange.ts';
import { jsonBody } from '../http/error-response.ts';
import { serverTiming } from '../http/server-timing.ts';
import type { ForwardPorts } from '../call/ports.ts';
import { idHeaders } from '../record/request-ids.ts';
import { warningHeader } from '../record/identify.ts';

/** The body, its values, and the bodies in it. */
const copies = 3;

/**
 * Takes a log on the listener of the gateway: a call that went elsewhere. The log itself is no call and has no record. @returns false for
 * any other path. @throws GatelogError for a body that is declared too large.
 */
export function answerLog(ports: ForwardPorts, call: Call, principal: Principal): boolean {
  const logPath = logPathOf(call.path);
  if (logPath === undefined) return false;
  if (call.request.method !== 'POST') throw new GatelogError('method_not_allowed', 'Logs are sent by POST.');
  const { requestMaxBytes, logMaxBytes } = ports.limits;
  const maxBytes = Math.min(requestMaxBytes, logMaxBytes);
  readIntakeBody(ports, call, { ...principal, maxBytes, setting: 'GATELOG_LOG_MAX_BYTES', copies }, (body) => {
    if (body instanceof GatelogError) refuse(ports, call, body);
    // What has arrived of it may be read as a whole log.
    else if (!isDisconnected(call)) void take(ports, call, principal, { logPath, body });
  });
  return true;
}

interface ArrivedLog {
  readonly logPath: LogPath;
  readonly body: Buffer;
}

async function take(ports: ForwardPorts, call: Call, principal: Principal, { logPath, body }: ArrivedLog): Promise<void> {
  const { request, bodyReservation } = call;
  try {
    send(ports, call, await ports.takeLog(principal, { logPath, rawHeaders: request.rawHeaders, body, signal: bodyReservation?.released }));
  } catch (error) {
    refuse(ports, call, error);
  }
}

function send({ clock, limits }: ForwardPorts, { response, startedAt }: Call, { requestId, aliased, warnings }: TakenLog): void {
  if (response.headersSent || response.destroyed) return;
  const body = jsonBody({ data: { request_id: requestId }, error: null, ...(warnings.length === 0 ? {} : { warnings }) });
  const own = ['content-type', 'application/json; charset=utf-8', 'content-length', String(body.length)];
  const timing = ['server-timing', serverTiming(clock.monotonic() - startedAt)];
  response.writeHead(200, [...own, ...idHeaders(requestId, aliased), ...warningHeader(warnings), ...timing]);
  response.end(body);
  enforceWriteTimeout(response, limits.clientStallMs);
}

function refuse(ports: ForwardPorts, { response, openedAt, startedAt, head }: Call, error: unknown): void {
  rejectUnauthenticated(ports, { response, openedAt, startedAt, aliased: head.directives.aliased }, error);
}
