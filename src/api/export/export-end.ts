import { GatelogError } from '../../model/errors.ts';
import { type ExportPlan, newestStatements } from '../../query/export/plan.ts';
import { isoTime, type NumberCell } from '../../query/requests/columns.ts';
import { runUntilRows } from '../../store/read/run-statement.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';
import { appendSentence } from '../http/warnings.ts';

/** A window that ends so much earlier than the caller expects is worth a word. */
const noticedMs = 60_000;

/**
 * The end of an export, exclusive, Unix milliseconds: the caller's, and at the latest its beginning. Without the caller's it is no later
 * than the arrival of the oldest call whose record is still to come, so that windows one after the other miss nothing; a caller's end
 * stays, and a warning says what is missing.
 */
export async function endOf(call: RequestContext, plan: ExportPlan, signal: AbortSignal): Promise<number> {
  const { context, ports } = call;
  const [newest] = await runUntilRows<{ readonly created_ms: NumberCell }>(ports.run, newestStatements(plan), signal);
  // A record that was imported, or a clock that was set, may be ahead of now.
  const beganMs = Math.max(ports.exports.now(), newest === undefined ? 0 : Number(newest.created_ms) + 1);
  const endMs = Math.min(beganMs, plan.endMs ?? beganMs);
  const oldestMs = await oldestUnstored(call, endMs, signal);
  if (oldestMs === undefined) return endMs;
  const arrived = `A call that arrived at ${isoTime(oldestMs)} is still open or on its way to the store`;
  if (plan.endMs !== undefined && plan.endMs <= beganMs) {
    appendSentence(context, 'svc-warning', `${arrived}: the export lacks it, and perhaps later ones.`);
    return endMs;
  }
  const untilMs = Math.max(oldestMs, Math.min(endMs, plan.startMs ?? oldestMs));
  if (endMs - untilMs >= noticedMs) {
    appendSentence(
      context,
      'svc-warning',
      `${arrived}: the export ends there, so that the next one can begin there. Name an end to get what is stored.`,
    );
  }
  return untilMs;
}

async function oldestUnstored(
  { context, principal, ports }: RequestContext,
  beforeMs: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    return await ports.exports.oldestUnstored(principal.organizationId, beforeMs, signal);
  } catch (error) {
    if (!(error instanceof GatelogError)) throw error;
    appendSentence(context, 'svc-warning', 'More calls wait for the store than can be told apart: the export may lack the latest ones.');
    return undefined;
  }
}
