import { moneyOfUsd, zeroMoney } from '../model/pricing/money.ts';
import type { StoredPrice } from '../model/pricing/stored-price.ts';
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

/** What a stored price is looked up by. `models`: the names of one model, the one that tells most first. `at`: Unix milliseconds. */
interface OrganizationQuery {
  readonly provider: string;
  readonly models: readonly string[];
  readonly at: number;
}

/**
 * The stored prices of a model, the one that goes before the others first: by a whole name, whichever of its names that is, and then by a beginning.
 * A service tier makes no difference to them.
 */
export function organizationCandidates(prices: OrganizationPrices, { provider, models, at }: OrganizationQuery): readonly Price[] {
  const valid = prices.filter((price) => price.from <= at && (price.provider === null || price.provider === provider));
  const whole = models.flatMap((model) => valid.find((price) => !price.isPrefix && price.model === model) ?? []);
  const begun = valid.filter((price) => price.isPrefix && models.some((model) => model.startsWith(price.model)));
  return [...whole, ...begun].map(({ price }) => price);
}

/** The models that an organisation has priced by their whole name for one provider. */
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
