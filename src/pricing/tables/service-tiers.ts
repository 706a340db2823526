import { parseMoney, zeroMoney } from '../../model/pricing/money.ts';
import type { RateKind } from '../../model/vocabulary/prices.ts';
import { undatedName } from '../../model/pricing/price-line.ts';
import { isOperators, type Price, type Rate, scaledRate } from './price.ts';

/** US dollars per million tokens: input, cached input (null: as input), output. */
type TierRates = readonly [input: string, cacheRead: string | null, output: string];

/** The price of a service tier for models of one provider. */
interface TierPrice {
  readonly providerId: string;
  readonly tiers: readonly string[];
  /** Models as the price book names them; a trailing `*` matches any ending. */
  readonly models: readonly string[];
  /** Date, UTC; known to be valid from then until the next row for the same. */
  readonly validFrom: string;
  /** Rates of its own, or a fraction of the list price; `ignoresSteps`: without the list's steps for long inputs. */
  readonly price: { readonly rates: TierRates } | { readonly times: readonly [bigint, bigint]; readonly ignoresSteps?: true };
  readonly source: string;
}

const openAiPriority = 'https://openai.com/api-priority-processing/';
const openAiFast = 'https://openai.com/api-fast-mode/';
const anthropicFast = 'https://platform.claude.com/docs/en/build-with-claude/fast-mode';

/** OpenAI's priority processing, renamed fast mode on 2026-07-30, under both names. */
function priority(model: string, validFrom: string, rates: TierRates): TierPrice {
  return { providerId: 'openai', tiers: ['priority', 'fast'], models: [model], validFrom, price: { rates }, source: openAiPriority };
}

function anthropicFastMode(models: readonly string[], validFrom: string, times: bigint): TierPrice {
  const price = { times: [times, 1n], ignoresSteps: true } as const;
  return { providerId: 'anthropic', tiers: ['fast'], models, validFrom, price, source: anthropicFast };
}

/** Rows for the same model and tier are in ascending order of their dates. */
const tierPrices: readonly TierPrice[] = [
  {
    providerId: 'openai',
    tiers: ['flex', 'batch'],
    models: ['*'],
    validFrom: '2025-04-17',
    price: { times: [1n, 2n] },
    source: 'https://platform.openai.com/docs/guides/flex-processing',
  },
  priority('gpt-4o', '2025-08-07', ['4.25', '2.125', '17']),
  priority('gpt-4o-2024-05-13', '2025-08-07', ['8.75', null, '26.25']),
  priority('gpt-4o-mini', '2025-08-07', ['0.25', '0.125', '1']),
  priority('gpt-4.1', '2025-08-07', ['3.5', '0.875', '14']),
  priority('gpt-4.1-mini', '2025-08-07', ['0.7', '0.175', '2.8']),
  priority('gpt-4.1-nano', '2025-08-07', ['0.2', '0.05', '0.8']),
  priority('o3', '2025-08-07', ['3.5', '0.875', '14']),
  priority('o4-mini', '2025-08-07', ['2', '0.5', '8']),
  priority('gpt-5', '2025-08-07', ['2.5', '0.25', '20']),
  priority('gpt-5-mini', '2025-08-07', ['0.45', '0.045', '3.6']),
  priority('gpt-5.1', '2025-11-13', ['2.5', '0.25', '20']),
  priority('gpt-5.2', '2025-12-11', ['3.5', '0.35', '28']),
  priority('gpt-5.4', '2026-03-05', ['5', '0.5', '30']),
  priority('gpt-5.4-mini', '2026-03-17', ['1.5', '0.15', '9']),
  priority('gpt-5.5', '2026-04-23', ['12.5', '1.25', '75']),
  {
    providerId: 'openai',
    tiers: ['priority', 'fast'],
    models: ['gpt-5.6-*'],
    validFrom: '2026-07-30',
    price: { times: [2n, 1n], ignoresSteps: true },
    source: openAiFast,
  },
  {
    providerId: 'openai',
    tiers: ['priority', 'fast'],
    models: ['gpt-6-*', 'gpt-6.1-*', 'gpt-6.2-*'],
    validFrom: '2026-09-03',
    price: { times: [2n, 1n] },
    source: 'https://developers.openai.com/api/docs/pricing, and the page of gpt-6.2-sol beside it, read 2026-11-27',
  },
  ...[['2026-11-17', 3n] as const, ['2027-03-01', 6n] as const].map(([validFrom, times]): TierPrice => ({
    providerId: 'openai',
    tiers: ['ultrafast'],
    models: ['gpt-6.2-sol'],
    validFrom,
    price: { times: [times, 1n] },
    source: 'https://developers.openai.com/api/docs/models/gpt-6.2-sol, read 2026-11-27',
  })),
  {
    providerId: 'anthropic',
    tiers: ['batch'],
    models: ['*'],
    validFrom: '2024-10-08',
    price: { times: [1n, 2n] },
    source: 'https://platform.claude.com/docs/en/build-with-claude/batch-processing',
  },
  anthropicFastMode(['claude-opus-4-6'], '2026-02-05', 6n),
  anthropicFastMode(['claude-opus-4-7'], '2026-05-12', 6n),
  anthropicFastMode(['claude-opus-4-8'], '2026-05-28', 2n),
  anthropicFastMode(['claude-opus-5'], '2026-07-24', 2n),
  anthropicFastMode(['claude-opus-5-5'], '2026-09-22', 2n),
  {
    providerId: 'google',
    tiers: ['flex', 'on_demand_flex', 'batch'],
    models: ['gemini-*'],
    validFrom: '2026-03-01',
    price: { times: [1n, 2n] },
    source: 'https://ai.google.dev/gemini-api/docs/optimization',
  },
];

/** Tiers that are served and billed at list price. */
const listTiers: ReadonlySet<string> = new Set(['', 'auto', 'default', 'standard', 'standard_only', 'unspecified', 'on_demand']);

/** Providers that bill by tier. Elsewhere a tier affects speed or limits only. */
const tieredProviders: ReadonlySet<string> = new Set(['openai', 'azure', 'anthropic', 'google', 'aws']);

export interface TierQuery {
  readonly providerId: string;
  /** As requested. */
  readonly model: string;
  /** The provider's own name. */
  readonly serviceTier: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * The price at a service tier. A fraction or multiple applies to every list price. Rates of its own replace those of corrections and the
 * public list alone: the operator's price is the operator's at such a tier too, and at one without a row. @param listed the list price,
 * whose reference names provider and model. @returns undefined when the provider bills the tier differently and no row has its price: the
 * cost is unknown then.
 */
export function priceAtTier(listed: Price, { providerId, model: asked, serviceTier, at }: TierQuery): Price | undefined {
  const tier = serviceTier.toLowerCase().replace(/^service_tier_/, '');
  if (listTiers.has(tier) || !tieredProviders.has(providerId)) return listed;
  const model = listed.reference.slice(listed.reference.indexOf('/') + 1);
  const names = model.endsWith('*') ? [undatedName(asked)] : [model];
  const row = tierPrices.findLast(
    (price) =>
      price.providerId === providerId &&
      price.tiers.includes(tier) &&
      names.some((name) => isFor(price, name)) &&
      Date.parse(price.validFrom) <= at,
  );
  if (isOperators(listed) && (row === undefined || 'rates' in row.price)) return listed;
  if (row === undefined) return undefined;
  const validFrom = row.validFrom > listed.validFrom ? row.validFrom : listed.validFrom;
  return {
    ...listed,
    table: 'service-tiers',
    reference: `${listed.reference} (${tier})`,
    validFrom,
    source: isOperators(listed) ? `${listed.source}; tier: ${row.source}` : row.source,
    rates: ratesOf(row, listed),
  };
}

function isFor({ models }: TierPrice, model: string): boolean {
  return models.some((name) => (name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : model === name));
}

/** Searches cost the same at every tier. */
export const untiered: readonly RateKind[] = ['web_search', 'file_search'];

function ratesOf(row: TierPrice, listed: Price): ReadonlyMap<RateKind, Rate> {
  const fees = untiered.flatMap((kind): [RateKind, Rate][] => {
    const rate = listed.rates.get(kind);
    return rate === undefined ? [] : [[kind, rate]];
  });
  return new Map([...tokenRatesOf(row, listed), ...fees]);
}

function tokenRatesOf({ price }: TierPrice, listed: Price): ReadonlyMap<RateKind, Rate> {
  if ('times' in price) {
    const scaled = (rate: Rate): Rate => scaledRate(price.ignoresSteps === true ? { ...rate, steps: [] } : rate, price.times);
    return new Map(Array.from(listed.rates, ([kind, rate]): [RateKind, Rate] => [kind, scaled(rate)]));
  }
  const [input, cacheRead, output] = price.rates;
  const rates: (readonly [RateKind, string | null])[] = [
    ['input', input],
    ['cache_read', cacheRead],
    ['output', output],
  ];
  return new Map(rates.flatMap(([kind, usd]) => (usd === null ? [] : [[kind, { perMillion: parseMoney(usd) ?? zeroMoney, steps: [] }]])));
}
