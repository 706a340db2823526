import { type Fallback, matchesStatus, tooLongStatus } from '../directives/fallbacks.ts';
import { isTransient, type RetryPolicy, waitBeforeRetry } from './policy.ts';

/** All that may be tried for a call. */
export interface AttemptPlan {
  readonly retry: RetryPolicy | undefined;
  readonly fallbacks: readonly { readonly fallback: Fallback }[];
  readonly maxAttempts: number;
  readonly retryWithinMs: number;
}

/** A failed attempt, and those before it. */
export interface Failure {
  /** What the provider answered; 502 and 504 where it could not be reached, or not in time. */
  readonly status: number;
  /** Its body says that the prompt is too long for the model. */
  readonly isTooLong: boolean;
  /** The wait that the provider asks for, milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Its place: 0 is the first, fallbacks come behind it. */
  readonly place: number;
  /** How often the call had been sent to this place again already. */
  readonly retries: number;
  /** Attempts so far, this one counted. */
  readonly attempts: number;
  /** Since the first attempt began, milliseconds. */
  readonly elapsedMs: number;
}

/** What follows a failed attempt: another one, or nothing; and if a limit of the deployment is the reason, which. */
export type NextAttempt =
  | { readonly kind: 'retry'; readonly waitMs: number }
  | { readonly kind: 'fallback'; readonly place: number }
  | { readonly kind: 'none'; readonly because?: string };

/**
 * Decides what follows a failed attempt: the same place once more, else the first of the later places that takes over from this failure.
 * @param random from 0 to 1, 1 excluded.
 */
export function nextAttempt(plan: AttemptPlan, failure: Failure, random: number): NextAttempt {
  const { retry, fallbacks, maxAttempts, retryWithinMs } = plan;
  const { status, place, retries, attempts, elapsedMs } = failure;
  const repeats = retry !== undefined && retries < retry.retries && isTransient(status);
  const waitMs = repeats ? waitBeforeRetry(retry, retries, random, failure.retryAfterMs) : 0;
  const isInTime = elapsedMs + waitMs <= retryWithinMs;
  const taking = fallbacks.findIndex(
    ({ fallback }, index) => canFollow(fallback, index, place) && matchesStatus(fallback, status, failure.isTooLong),
  );
  if (attempts >= maxAttempts) {
    return repeats || taking !== -1 ? { kind: 'none', because: `after ${maxAttempts} attempts (GATELOG_ATTEMPTS_MAX)` } : { kind: 'none' };
  }
  if (repeats && isInTime) return { kind: 'retry', waitMs };
  if (taking !== -1) return { kind: 'fallback', place: taking + 1 };
  return repeats ? { kind: 'none', because: `after ${retryWithinMs} ms (GATELOG_RETRY_WITHIN_MS)` } : { kind: 'none' };
}

/** Whether a fallback at an index is behind a place, and may take over from there. */
function canFollow({ followsOne }: Fallback, index: number, place: number): boolean {
  return followsOne === true ? index === place : index >= place;
}

/** Whether what follows depends on what the body of a failed attempt says. */
export function asksBody({ fallbacks }: AttemptPlan, status: number, place: number): boolean {
  if (status !== tooLongStatus) return false;
  const later = fallbacks.slice(place);
  return later.some(({ fallback }) => fallback.onTooLong === true) && !later.some(({ fallback }) => matchesStatus(fallback, status, false));
}
