import { headerValues, type HeaderList } from '../../platform/http/header-list.ts';

/** How often a call is sent to one place again, and after which waits. */
export interface RetryPolicy {
  /** Further attempts after the first. */
  readonly retries: number;
  /** By how much each wait is longer than the one before. */
  readonly factor: number;
  /** The first wait, milliseconds. */
  readonly minTimeoutMs: number;
  /** The back-off grows no longer, milliseconds. */
  readonly maxTimeoutMs: number;
}

/** The defaults that clients of Helicone's API count on: waits of 1, 2, 4, 8 and 10 seconds. */
export const defaultRetryPolicy: RetryPolicy = { retries: 5, factor: 2, minTimeoutMs: 1000, maxTimeoutMs: 10_000 };

/** An attempt that may go better another time: too many calls, or a failure of the provider's own. */
export function isTransient(status: number): boolean {
  return status === 429 || (status >= 500 && status <= 599);
}

/**
 * How long to wait before a retry, milliseconds: the back-off, from half of it on by chance, so that calls that failed at once do not come back
 * at once; or what the provider asked for where that is longer, also than `maxTimeoutMs`: a call that comes earlier is refused again, and counts.
 * @param retry 0 for the first.
 * @param random from 0 to 1, 1 excluded.
 */
export function waitBeforeRetry(policy: RetryPolicy, retry: number, random: number, retryAfterMs = 0): number {
  const backOff = Math.min(policy.maxTimeoutMs, policy.minTimeoutMs * policy.factor ** retry);
  return Math.max(retryAfterMs, (backOff * (1 + random)) / 2);
}

/** IMF-fixdate and RFC 850, which end in GMT, and asctime, which means it (RFC 9110 §5.6.7). */
const zonedDate = /^[A-Z][a-z]{2,8}, .+ GMT$/;
const unzonedDate = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/**
 * The wait that a provider asks for, milliseconds: by `Retry-After` in seconds or as a date, or by the finer `retry-after-ms` that OpenAI and
 * Azure send.
 * @param now Unix milliseconds.
 * @returns undefined where it says nothing that can be read; 0 for a date that has passed.
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
