import { gatelog } from '../../lib/client.ts';

/** Prices the past requests to a model. @returns how many costs changed. */
export async function applyPrices(model: string): Promise<number> {
  // A name with an asterisk stands for many models.
  const filter = model.includes('*') ? ('all' as const) : { request_response_rmt: { model: { equals: model } } };
  let sum = 0;
  for await (const { changed } of gatelog.prices.applyAll({ filter })) sum += changed;
  return sum;
}

/** What is wrong with a day that may be left out. */
export function dayFault(text: string): string | undefined {
  const isDay = text.trim() === '' || !Number.isNaN(Date.parse(text.trim()));
  return isDay ? undefined : 'Write a date such as 2026-01-31, or leave it empty.';
}
