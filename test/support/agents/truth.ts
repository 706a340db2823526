import type { ModelCall } from './provider.ts';

/** What the record of a call has to say. */
export interface Truth {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** US dollars. */
  readonly cost: number;
}

/** US dollars for a million tokens: input, read from the cache, output, written to the cache for five minutes, for an hour. */
type Rates = readonly [input: number, read: number, output: number, write5m?: number, write1h?: number];

/** Public list prices; docs/guides/costs-and-prices.md has their sources. */
const rates: ReadonlyMap<string, Rates> = new Map<string, Rates>([
  ['claude-sonnet-4-6', [3, 0.3, 15, 3.75, 6]],
  ['claude-haiku-4-5-20251001', [1, 0.1, 5, 1.25, 2]],
  ['gpt-5-mini', [0.25, 0.025, 2]],
  ['gpt-5.4-nano', [0.2, 0.02, 1.25]],
  ['gpt-6.2-sol', [2, 0.1, 10]],
  ['gemini-3.8-flash', [0.75, 0.075, 3.75]],
  ['gemini-3.5-flash-lite', [0.3, 0.03, 2.5]],
]);

const usd = (perMillion: number): number => perMillion / 1e6;

/** By the usage of `formats.ts`. */
export function truthOf({ path, model }: ModelCall): Truth {
  const [input, read, output, write5m = Number.NaN, write1h = Number.NaN] = rates.get(model) ?? [Number.NaN, Number.NaN, Number.NaN];
  if (path.includes('/v1/messages')) {
    const cost = usd(40 * input + 2000 * read + 300 * write5m + 100 * write1h + 20 * output);
    return { promptTokens: 2440, completionTokens: 20, cost };
  }
  const cached = path.includes('enerateContent') ? 0 : 400;
  return { promptTokens: 1000, completionTokens: 20, cost: usd((1000 - cached) * input + cached * read + 20 * output) };
}
