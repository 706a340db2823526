import { headerValues, type HeaderList } from './header-list.ts';

/** IMF-fixdate and RFC 850 dates end in GMT; asctime dates imply it (RFC 9110 §5.6.7). */
const zonedDate = /^[A-Z][a-z]{2,8}, .+ GMT$/;
const unzonedDate = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/**
 * The wait that a response requests, milliseconds: from `Retry-After` in seconds or as a date, or from the finer `retry-after-ms` of
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
