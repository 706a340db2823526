import { moneyOfUsd, zeroMoney } from '../model/pricing/money.ts';
import type { StoredPrice } from '../model/pricing/stored-price.ts';
import { type RateKind, rateKinds } from '../model/vocabulary/prices.ts';
import type { Price, Rate } from './tables/price.ts';

/** A parsed stored price. Plain data, because it is sent to a thread. */
interface ReadPrice {
  readonly model: string;
  readonly isPrefix: boolean;
  readonly provider: string | null;
  /** Unix milliseconds. */
  readonly from: number;
  readonly price: Price;
}

/** The prices of one organisation in order of precedence. */
export type OrganizationPrices = readonly ReadPrice[];

export const noOrganizationPrices: OrganizationPrices = [];

/** Sorts stored prices by precedence: a whole name before a prefix, the longer prefix first; one provider before any; the latest first. */
export function readOrganizationPrices(stored: readonly StoredPrice[]): OrganizationPrices {
  return stored.map(readPrice).toSorted(byPrecedence);
}

/** `models`: names of one model, the most specific first. `at`: Unix milliseconds. */
interface OrganizationQuery {
  readonly provider: string;
  readonly models: readonly string[];
  readonly at: number;
}

/** The stored prices of a model in order of precedence: by any of its whole names, then by prefix. They apply to every service tier. */
export function organizationCandidates(prices: OrganizationPrices, { provider, models, at }: OrganizationQuery): readonly Price[] {
  const valid = prices.filter((price) => price.from <= at && (price.provider === null || price.provider === provider));
  const byName = models.flatMap((model) => valid.find((price) => !price.isPrefix && price.model === model) ?? []);
  const byPrefix = valid.filter((price) => price.isPrefix && models.some((model) => model.startsWith(price.model)));
  return [...byName, ...byPrefix].map(({ price }) => price);
}

/** Models that an organisation has priced by their whole name for one provider. */
export function organizationModels(prices: OrganizationPrices, provider: string): readonly string[] {
  return prices.filter((price) => !price.isPrefix && price.provider === provider).map(({ model }) => model);
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
      source: '',
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
