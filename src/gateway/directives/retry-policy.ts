export interface RetryPolicy {
  readonly retries: number;
  /** Ratio of each wait to the previous one. */
  readonly factor: number;
  /** The first wait. */
  readonly minTimeoutMs: number;
  /** Upper bound of the back-off. */
  readonly maxTimeoutMs: number;
}

/** Clients of Helicone's API count on these defaults: waits of 1, 2, 4, 8 and 10 seconds. */
export const defaultRetryPolicy: RetryPolicy = { retries: 5, factor: 2, minTimeoutMs: 1000, maxTimeoutMs: 10_000 };

export function isTransient(status: number): boolean {
  return status === 429 || (status >= 500 && status <= 599);
}

/**
 * Wait before a retry, milliseconds: the back-off, shortened at random by up to half, so that calls that failed together do not return
 * together; or the wait that the provider requested if that is longer, even beyond `maxTimeoutMs`: an earlier call would be refused, and
 * counted.
 * @param retry 0 for the first.
 * @param random from 0 to 1, 1 excluded.
 */
export function waitBeforeRetry(policy: RetryPolicy, retry: number, random: number, retryAfterMs = 0): number {
  const backOff = Math.min(policy.maxTimeoutMs, policy.minTimeoutMs * policy.factor ** retry);
  return Math.max(retryAfterMs, (backOff * (1 + random)) / 2);
}
