import { moneyOfUsd, zeroMoney } from '../model/money.ts';
import type { StoredPrice } from '../model/stored-price.ts';
import { type RateKind, rateKinds } from '../model/vocabulary/prices.ts';
import type { Price, Rate } from './price.ts';

/** A stored price, read. Plain data: it crosses into a thread. */
interface ReadPrice {
  readonly model: string;
  readonly isPrefix: boolean;
  readonly provider: string | null;
  /** Unix milliseconds. */
  readonly from: number;
  readonly price: Price;
}

/** The prices of one organisation, the one that goes before the others first. */
export type OrganizationPrices = readonly ReadPrice[];

/** What an organisation without prices of its own has. */
export const noOrganizationPrices: OrganizationPrices = [];

/** Puts stored prices into the order in which they decide: a whole name before a beginning, the longer one first; one provider before any; the latest first. */
export function readOrganizationPrices(stored: readonly StoredPrice[]): OrganizationPrices {
  return stored.map(readPrice).toSorted(byPrecedence);
}

/** The stored price of a model at a time, Unix milliseconds. A service tier makes no difference to it. */
export function organizationPrice(
  prices: OrganizationPrices,
  { provider, model, at }: { readonly provider: string; readonly model: string; readonly at: number },
): Price | undefined {
  return prices.find(
    (price) =>
      price.from <= at &&
      (price.provider === null || price.provider === provider) &&
      (price.isPrefix ? model.startsWith(price.model) : model === price.model),
  )?.price;
}

function readPrice(stored: StoredPrice): ReadPrice {
  const isPrefix = stored.model.endsWith('*');
  const rates = rateKinds.flatMap((kind): [RateKind, Rate][] => {
    const usd = stored.rates[kind];
    return usd === undefined ? [] : [[kind, { perMillion: moneyOfUsd(usd) ?? zeroMoney, steps: [] }]];
  });
  return {
    model: isPrefix ? stored.model.slice(0, -1) : stored.model,
    isPrefix,
    provider: stored.provider,
    from: stored.validFrom === null ? -Infinity : Date.parse(stored.validFrom),
    price: {
      table: 'organization',
      reference: stored.provider === null ? stored.model : `${stored.provider}/${stored.model}`,
      validFrom: stored.validFrom ?? '',
      rates: new Map(rates),
      isFree: false,
      contextWindow: undefined,
    },
  };
}

function byPrecedence(one: ReadPrice, other: ReadPrice): number {
  return (
    Number(one.isPrefix) - Number(other.isPrefix) ||
    other.model.length - one.model.length ||
    Number(one.provider === null) - Number(other.provider === null) ||
    // TRICKY: two prices without a date would differ by NaN.
    Number(other.from > one.from) - Number(one.from > other.from)
  );
}
