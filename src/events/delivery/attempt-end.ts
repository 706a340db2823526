import type { AttemptOutcome } from '../../model/events/attempt.ts';
import type { EventType } from '../../model/events/event.ts';
import type { Attempted } from '../targets/target.ts';
import type { Delivery } from '../log/due.ts';
import { waitAfter } from './schedule.ts';
import type { DisablingReason, DeliveryState, FailureReason } from '../schema/schema.ts';

const day = 86_400_000;
/** A target that failed for so long is disabled. */
const failingMaxMs = 5 * day;
/** Failures further apart are not one time of failing: longer than the longest wait between attempts. */
const failingGapMs = 2 * day;

/** An attempt that ended. Times are Unix milliseconds. */
export interface AttemptEnd {
  readonly delivery: Delivery;
  readonly startedAt: number;
  readonly durationMs: number;
  /** `gone`: nothing was sent, because the request was removed. */
  readonly attempted: Attempted | 'gone';
  /** From 0, below 1: lengthens the next wait. */
  readonly chance: number;
}

/** What becomes of a delivery. */
export interface NextState {
  readonly state: DeliveryState;
  readonly failure: FailureReason | null;
  readonly step: number;
  readonly dueAt: number | null;
  readonly endedAt: number | null;
}

export function endedAt({ startedAt, durationMs }: AttemptEnd): number {
  return startedAt + durationMs;
}

export function nextState(end: AttemptEnd): NextState {
  const { delivery, attempted, chance } = end;
  const { step } = delivery;
  const at = endedAt(end);
  const over = { step, dueAt: null, endedAt: at };
  if (attempted === 'gone') return { ...over, state: 'gone', failure: null };
  const { outcome } = attempted;
  if (outcome.kind === 'delivered') return { ...over, state: 'delivered', failure: null };
  if (outcome.kind === 'refused') return { ...over, state: 'failed', failure: 'refused' };
  const wait = isTriedOnce(delivery.type) ? undefined : waitAfter({ step, outcome, chance });
  if (wait === undefined) return { ...over, state: 'failed', failure: 'exhausted' };
  return { state: 'pending', failure: null, step: step + 1, dueAt: at + wait, endedAt: null };
}

/** A test is for whoever waits for its answer. */
function isTriedOnce(type: EventType): boolean {
  return type === 'webhook.test';
}

/** What the attempts of a target told. */
export interface TargetHealth {
  readonly failedInARow: number;
  readonly failingSince: number | null;
  readonly lastSuccessAt: number | null;
  readonly lastFailureAt: number | null;
  readonly disabling: DisablingReason | null;
}

export const unknownHealth: TargetHealth = {
  failedInARow: 0,
  failingSince: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  disabling: null,
};

/** A failed test tells nothing: it may go to a receiver that is being built. */
export function healthAfter(before: TargetHealth, outcome: AttemptOutcome, end: AttemptEnd): TargetHealth {
  const at = endedAt(end);
  if (outcome.kind === 'delivered') return { ...before, failedInARow: 0, failingSince: null, lastSuccessAt: at };
  if (isTriedOnce(end.delivery.type) || (outcome.kind === 'refused' && outcome.isUnsent === true)) return before;
  const { failingSince, lastFailureAt } = before;
  const goesOn = failingSince !== null && lastFailureAt !== null && at - lastFailureAt <= failingGapMs;
  const since = goesOn ? failingSince : end.startedAt;
  return {
    ...before,
    failedInARow: before.failedInARow + 1,
    failingSince: since,
    lastFailureAt: at,
    disabling: before.disabling ?? disablingOf(outcome, at - since),
  };
}

function disablingOf(outcome: AttemptOutcome, failingMs: number): DisablingReason | null {
  if (outcome.kind === 'refused' && outcome.disables) return 'gone';
  return failingMs >= failingMaxMs ? 'failing' : null;
}
