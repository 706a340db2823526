import { gatelog } from '../../lib/client.ts';

/** Prices the past requests to a model. @returns how many costs changed. */
export async function applyPrices(model: string): Promise<number> {
  // A name with an asterisk stands for many models.
  const filter = model.includes('*') ? ('all' as const) : { request_response_rmt: { model: { equals: model } } };
  let sum = 0;
  for await (const { changed } of gatelog.prices.applyAll({ filter })) sum += changed;
  return sum;
}

/** What is wrong with a day that may be left out. TRICKY: `Date.parse` reads 31 February as 3 March. */
export function dayFault(text: string): string | undefined {
  const day = text.trim();
  if (day === '') return undefined;
  const time = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
  return isDay ? undefined : 'Write a day such as 2026-01-31, or leave it empty.';
}

/** What is wrong with the last day of a span; either may be left out. */
export function rangeFault(first: string, last: string): string | undefined {
  const isTurned = first.trim() !== '' && last.trim() !== '' && last.trim() < first.trim();
  return dayFault(last) ?? (isTurned && dayFault(first) === undefined ? 'Write the first day or a later one.' : undefined);
}
