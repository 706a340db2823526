import type { AttemptOutcome } from '../../model/events/attempt.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Waits before the attempts of a delivery, each from the end of the attempt before; those of Standard Webhooks, 75.6 hours in all. */
const attemptWaitsMs: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Waits are lengthened by up to this part, so that deliveries that failed together do not come back together. */
const jitter = 0.2;
/** A receiver that has too much to do, or its proxy, is left alone for longer. */
const overloadedStatuses: ReadonlySet<number> = new Set([429, 502, 504]);
const overloadedFactor = 2;
const minOverloadedMs = minute;
/** However long a receiver asks for. */
const maxRetryAfterMs = 24 * hour;

type Failure = Extract<AttemptOutcome, { readonly kind: 'failed' }>;

export interface FailedAttempt {
  /** Its place in the schedule, from 0. */
  readonly step: number;
  readonly outcome: Failure;
  /** From 0, below 1. */
  readonly chance: number;
}

/** @returns the wait before the next attempt, milliseconds; undefined when it was the last. */
export function waitAfter({ step, outcome, chance }: FailedAttempt): number | undefined {
  const scheduled = attemptWaitsMs[step + 1];
  if (scheduled === undefined) return undefined;
  const wait = isOverloaded(outcome) ? Math.max(minOverloadedMs, scheduled * overloadedFactor) : scheduled;
  return Math.max(Math.round(wait * (1 + jitter * chance)), askedWaitMs(outcome));
}

/** What the receiver asked for, bounded; 0 without a wish. */
export function askedWaitMs({ retryAfterMs = 0 }: Failure): number {
  return Math.min(retryAfterMs, maxRetryAfterMs);
}

function isOverloaded({ response }: Failure): boolean {
  return response !== undefined && overloadedStatuses.has(response.status);
}
