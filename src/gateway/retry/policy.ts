import { headerValues, type HeaderList } from '../../platform/http/header-list.ts';

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

/** IMF-fixdate and RFC 850 dates end in GMT; asctime dates imply it (RFC 9110 §5.6.7). */
const zonedDate = /^[A-Z][a-z]{2,8}, .+ GMT$/;
const unzonedDate = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/**
 * The wait that a provider requests, milliseconds: from `Retry-After` in seconds or as a date, or from the finer `retry-after-ms` of
 * OpenAI and Azure.
 * @param now Unix milliseconds.
 * @returns undefined without a readable value; 0 for a past date.
 */
export function retryAfter(raw: HeaderList, now: number): number | undefined {
  const milliseconds = decimal(firstValue(raw, 'retry-after-ms'));
  if (milliseconds !== undefined) return milliseconds;
  const text = firstValue(raw, 'retry-after');
  const seconds = decimal(text);
  if (seconds !== undefined) return seconds * 1000;
  if (!zonedDate.test(text) && !unzonedDate.test(text)) return undefined;
  const at = Date.parse(zonedDate.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function decimal(text: string): number | undefined {
  return /^\d{1,12}(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function firstValue(raw: HeaderList, name: string): string {
  return headerValues(raw, name)[0]?.trim() ?? '';
}
