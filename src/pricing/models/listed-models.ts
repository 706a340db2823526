import { usdOf } from '../../model/pricing/money.ts';
import type { RateKind } from '../../model/vocabulary/prices.ts';
import { type Price, rateFor } from '../tables/price.ts';
import type { PriceBook } from '../price-book.ts';

/** A provider whose models the book lists. */
export interface ListedProvider {
  /** As callers write it before the model. */
  readonly name: string;
  readonly priceProviderId: string | undefined;
}

/** US dollars for a million tokens, or for a million searches; a kind without a price of its own is left out. */
export interface ListedPricing {
  readonly prompt: number | null;
  readonly completion: number | null;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly audio?: number;
  readonly image?: number;
  readonly internal_reasoning?: number;
  readonly web_search?: number;
  /** Input tokens above which it holds. */
  readonly threshold?: number;
}

export interface ModelEndpoint {
  readonly provider: string;
  readonly providerSlug: string;
  readonly pricing: ListedPricing;
  /** The price of calls of any length first. */
  readonly pricingTiers?: readonly ListedPricing[];
}

export interface ListedModel {
  readonly id: string;
  readonly name: string;
  readonly author: string;
  readonly contextLength: number | null;
  readonly description: string | null;
  readonly endpoints: readonly ModelEndpoint[];
}

/** Every model of the book that is not outdated, with its providers and prices. @param at Unix milliseconds. */
export function listedModels(book: PriceBook, providers: readonly ListedProvider[], at: number): readonly ListedModel[] {
  const models = new Map<string, ListedModel>();
  for (const provider of providers) {
    for (const id of book.modelsOf(provider.priceProviderId)) {
      const price = book.find(provider.priceProviderId ?? '', id, at);
      if (price === undefined) continue;
      const model = models.get(id) ?? { ...newModel(id, provider, book), contextLength: null, endpoints: [] };
      models.set(id, {
        ...model,
        contextLength: model.contextLength ?? price.contextWindow ?? null,
        endpoints: [...model.endpoints, endpointOf(provider.name, price)],
      });
    }
  }
  return [...models.values()];
}

/** What the first provider that lists a model says of it. */
function newModel(id: string, { name: author, priceProviderId }: ListedProvider, book: PriceBook) {
  const { name = id, description = null } = book.about(priceProviderId, id);
  return { id, name, author, description };
}

function endpointOf(provider: string, price: Price): ModelEndpoint {
  const steps = [...price.rates.values()].flatMap((rate) => rate.steps.map(({ aboveInputTokens }) => aboveInputTokens));
  const thresholds = [...new Set(steps)].toSorted((left, right) => left - right);
  const pricing = pricingOf(price, 0);
  if (thresholds.length === 0) return { provider, providerSlug: provider, pricing };
  const tiers = thresholds.map((threshold) => ({ ...pricingOf(price, threshold + 1), threshold }));
  return { provider, providerSlug: provider, pricing, pricingTiers: [pricing, ...tiers] };
}

/** Prices beside those of input and output, and the kind that each shows. */
const furtherKinds = {
  cacheRead: ['cache_read'],
  cacheWrite: ['cache_write'],
  audio: ['input_audio', 'output_audio'],
  image: ['output_image', 'input_image'],
  internal_reasoning: ['reasoning'],
  web_search: ['web_search'],
} as const satisfies Partial<Record<keyof ListedPricing, readonly RateKind[]>>;

function pricingOf({ rates, isFree }: Price, inputTokens: number): ListedPricing {
  const usd = (...kinds: readonly RateKind[]): number | undefined => {
    const rate = kinds.map((kind) => rates.get(kind)).find((one) => one !== undefined);
    return rate === undefined ? undefined : usdOf(rateFor(rate, inputTokens));
  };
  const free = isFree ? 0 : null;
  const further = Object.entries(furtherKinds).flatMap(([key, kinds]) => {
    const value = usd(...kinds);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { prompt: usd('input') ?? free, completion: usd('output') ?? free, ...Object.fromEntries(further) };
}
