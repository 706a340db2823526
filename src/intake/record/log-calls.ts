import { isIssued, makeRequestId } from '../../gateway/record/request-ids.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import type { LogPermit, LogCalls, LoggedCall, LoggedOutcome } from '../../model/record/logged-call.ts';
import type { PositionedCallSpool } from '../../spool/busy-series.ts';
import { isLate } from './admissions.ts';
import { appendCall, appendLostEnd, type FramedCall } from './frames.ts';

export interface LogPorts {
  readonly spoolOf: (organizationId: OrganizationId) => PositionedCallSpool;
  /** Of records of long ago: in a series of their own they hold up nobody's records of now. */
  readonly lateSpool: () => PositionedCallSpool;
  /** False while the spool is full. */
  readonly hasSpoolSpace: (organizationId: OrganizationId) => boolean;
  /**
   * Keeps calls through the gateway from choosing these identifiers; those that are claimed already stay so. May throw while the database
   * cannot be written.
   */
  readonly claim: (organizationId: OrganizationId, requestIds: readonly RequestId[]) => void | Promise<void>;
  /** Recorded bytes of each body. */
  readonly recordMaxBytes: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly observe: Observe;
}

const lostEndRetryMs = 1000;

/** Records calls that did not pass through the gateway. What each becomes is up to the ingest: `ingest/batch/repeated.ts`. */
export function makeLogCalls(ports: LogPorts): LogCalls {
  return async (admission, calls) => {
    const { owner } = admission;
    const at = ports.now();
    const framed = calls.map((call) => framedCallOf(call, owner.organizationId, at));
    await claimChosen(ports, owner.organizationId, framed);
    if (!ports.hasSpoolSpace(owner.organizationId)) throw unavailable();
    const written = await Promise.all(framed.map((one) => writeCall(ports, admission, one)));
    if (written.includes(false)) throw unavailable();
    return framed.map(({ requestId }): LoggedOutcome => ({ requestId }));
  };
}

function framedCallOf(call: LoggedCall, organizationId: OrganizationId, at: number): FramedCall {
  const { requestId, startedAt } = call;
  if (requestId === undefined) return { call, requestId: makeRequestId(organizationId, startedAt), logged: { at, identifier: 'fresh' } };
  return { call, requestId, logged: { at, identifier: isIssued(organizationId, requestId) ? 'issued' : 'chosen' } };
}

async function claimChosen({ claim, observe }: LogPorts, organizationId: OrganizationId, framed: readonly FramedCall[]): Promise<void> {
  const chosen = framed.filter(({ logged }) => logged.identifier === 'chosen').map(({ requestId }) => requestId);
  if (chosen.length === 0) return;
  try {
    await claim(organizationId, chosen);
  } catch (error) {
    // Without the claim a later call may choose the same identifier; the log itself goes on.
    observe({ kind: 'claim_failed', reason: messageOf(error) });
  }
}

function writeCall(
  { spoolOf, lateSpool, recordMaxBytes, now }: LogPorts,
  { owner, written }: LogPermit,
  framed: FramedCall,
): Promise<boolean> {
  const own = isLate(framed.call.startedAt, now()) ? lateSpool() : spoolOf(owner.organizationId);
  return new Promise((resolve) => {
    const stream = appendCall(own, owner, framed, recordMaxBytes);
    own.whenWritten(stream, (isWritten) => {
      if (isWritten) written({ series: own.series, ...own.position() });
      else endLost(own, stream);
      resolve(isWritten);
    });
  });
}

/** Without an end the rest of the call would count as open, and its segment be kept, for the life of this process. */
function endLost(spool: PositionedCallSpool, stream: number): void {
  const timer = setTimeout(() => {
    appendLostEnd(spool, stream);
    spool.whenWritten(stream, (isWritten) => {
      if (!isWritten) endLost(spool, stream);
    });
  }, lostEndRetryMs);
  timer.unref();
}

function unavailable(): GatelogError {
  return new GatelogError(
    'spool_unavailable',
    'The disk of the spool is full or fails, so that this was not recorded. Send the same again when there is room.',
  );
}
