import { type Fallback, matchesStatus, tooLongStatus } from '../directives/fallbacks.ts';
import { isTransient, type RetryPolicy, waitBeforeRetry } from '../directives/retry-policy.ts';

export interface AttemptPlan {
  readonly retry: RetryPolicy | undefined;
  readonly fallbacks: readonly { readonly fallback: Fallback }[];
  readonly maxAttempts: number;
  readonly retryWithinMs: number;
}

export interface Failure {
  /** Status of the response; 502 for an unreachable provider, 504 for a time-out. */
  readonly status: number;
  /** The body reports a prompt that is too long for the model. */
  readonly isTooLong: boolean;
  readonly retryAfterMs: number | undefined;
  /** Index of its target: 0 is the first, fallbacks follow. */
  readonly targetIndex: number;
  /** Retries at this target so far. */
  readonly retries: number;
  /** Attempts so far, including this one. */
  readonly attempts: number;
  /** Since the first attempt began. */
  readonly elapsedMs: number;
}

/** What a reply of a good status counts as that reports an error before any content. */
export const replyErrorStatus = 502;

/** `because` names the limit of the deployment that prevents another attempt. */
export type NextAttempt =
  | { readonly kind: 'retry'; readonly waitMs: number }
  | { readonly kind: 'fallback'; readonly targetIndex: number }
  | { readonly kind: 'none'; readonly reason?: string };

/**
 * Decides what follows a failed attempt: the same target again, else the first later target that handles this failure.
 * @param random from 0 to 1, 1 excluded.
 */
export function nextAttempt(plan: AttemptPlan, failure: Failure, random: number): NextAttempt {
  const { retry, fallbacks, maxAttempts, retryWithinMs } = plan;
  const { status, targetIndex, retries, attempts, elapsedMs } = failure;
  const repeats = retry !== undefined && retries < retry.retries && isTransient(status);
  const waitMs = repeats ? waitBeforeRetry(retry, retries, random, failure.retryAfterMs) : 0;
  const isInTime = elapsedMs + waitMs <= retryWithinMs;
  const fallbackAt = fallbacks.findIndex(
    ({ fallback }, index) => canFollow(fallback, index, targetIndex) && matchesStatus(fallback, status, failure.isTooLong),
  );
  if (attempts >= maxAttempts) {
    return repeats || fallbackAt !== -1
      ? { kind: 'none', reason: `after ${maxAttempts} attempts (GATELOG_ATTEMPTS_MAX)` }
      : { kind: 'none' };
  }
  if (repeats && isInTime) return { kind: 'retry', waitMs };
  if (fallbackAt !== -1) return { kind: 'fallback', targetIndex: fallbackAt + 1 };
  return repeats ? { kind: 'none', reason: `after ${retryWithinMs} ms (GATELOG_RETRY_WITHIN_MS)` } : { kind: 'none' };
}

/** Whether the fallback at `index` may follow a failure at `place`. */
function canFollow({ followsOne }: Fallback, index: number, targetIndex: number): boolean {
  return followsOne === true ? index === targetIndex : index >= targetIndex;
}

/**
 * What of a response is read before it is decided on: a refusal that may say that the prompt is too long, or the beginning of a good reply,
 * which may report an error and then counts as 502.
 */
export type PartRead = 'none' | 'refusal' | 'beginning';

export function partRead({ fallbacks }: AttemptPlan, status: number, targetIndex: number): PartRead {
  const later = fallbacks.filter(({ fallback }, index) => canFollow(fallback, index, targetIndex));
  const follows = (failed: number): boolean => later.some(({ fallback }) => matchesStatus(fallback, failed, false));
  if (status >= 200 && status <= 299) return follows(replyErrorStatus) ? 'beginning' : 'none';
  if (status !== tooLongStatus) return 'none';
  return later.some(({ fallback }) => fallback.onTooLong === true) && !follows(status) ? 'refusal' : 'none';
}
