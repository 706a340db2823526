import type { MatchLogic, ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import type { PriceLine } from '../../model/pricing/price-line.ts';
import { usdOf } from '../../model/pricing/money.ts';
import type { RateKind } from '../../model/vocabulary/prices.ts';
import { type BookProviders, readRates } from '../price-book.ts';
import type { Rate } from '../tables/price.ts';
import type { ListOptions } from './list-options.ts';

/** Prices of genai-prices' list. Prices that hold at some hours only are left out. */
export function linesOfBook(
  providers: BookProviders,
  { source, providerIdOf }: ListOptions,
): {
  readonly lines: readonly PriceLine[];
  readonly leftOut: { readonly provider: number; readonly unit: number };
} {
  const leftOut = { provider: 0, unit: 0 };
  const lines = providers.flatMap(({ id, models }) => {
    const provider = providerIdOf(id);
    if (provider === undefined) {
      leftOut.provider += models.length;
      return [];
    }
    return models.flatMap((model) => {
      const dated = pricesOf(model);
      const found = dated.flatMap(({ validFrom, price }) => {
        const rates = readRates(price);
        return rates.size === 0 ? [] : [{ validFrom, ...ratesOf(rates) }];
      });
      if (found.length === 0) leftOut.unit += 1;
      const window = model.context_window === undefined ? {} : { contextWindow: model.context_window };
      return namesOf(model).flatMap((name) => found.map((each) => ({ model: name, provider, source, ...each, ...window })));
    });
  });
  return { lines, leftOut };
}

function pricesOf({ prices }: ModelInfo): readonly { readonly validFrom: string | null; readonly price: ModelPrice }[] {
  if (!Array.isArray(prices)) return [{ validFrom: null, price: prices }];
  if (prices.some(({ constraint }) => constraint?.type === 'time_of_date')) return [];
  return prices.map(({ constraint, prices: price }) => ({
    validFrom: constraint?.type === 'start_date' ? constraint.start_date : null,
    price,
  }));
}

function ratesOf(rates: ReadonlyMap<RateKind, Rate>): Pick<PriceLine, 'rates' | 'above'> {
  const starts = new Set([...rates.values()].flatMap(({ steps }) => steps.map(({ aboveInputTokens }) => aboveInputTokens)));
  const above = [...starts]
    .toSorted((one, other) => one - other)
    .map((inputTokens) => ({
      inputTokens,
      rates: Object.fromEntries(
        [...rates].flatMap(([kind, { steps }]) => {
          const step = steps.find(({ aboveInputTokens }) => aboveInputTokens === inputTokens);
          return step === undefined ? [] : [[kind, usdOf(step.perMillion)] as const];
        }),
      ),
    }));
  const base = Object.fromEntries(Array.from(rates, ([kind, rate]) => [kind, usdOf(rate.perMillion)] as const));
  return above.length === 0 ? { rates: base } : { rates: base, above };
}

/** Whole names and beginnings of names; what a pattern matches besides is left to the model's own name and its snapshots. */
function namesOf({ id, match }: ModelInfo): readonly string[] {
  const names = new Set([id, ...namesIn(match)]);
  return [...names].filter((name) => name !== '*' && name.length <= 256 && !name.slice(0, -1).includes('*'));
}

function namesIn(match: MatchLogic): readonly string[] {
  if ('or' in match) return match.or.flatMap(namesIn);
  if ('equals' in match) return [match.equals];
  return 'starts_with' in match ? [`${match.starts_with}*`] : [];
}
