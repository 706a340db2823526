import type { RateKind } from '../../model/vocabulary/prices.ts';
import { type Price, type Rate, scaledRate } from './price.ts';
import { untiered } from './service-tiers.ts';

/** A place that a provider bills apart, for all models but those that it cannot be asked for. */
interface GeoPrice {
  readonly providerId: string;
  readonly geo: string;
  readonly notFor: RegExp;
  readonly times: readonly [bigint, bigint];
  readonly source: string;
}

const geoPrices: readonly GeoPrice[] = [
  {
    providerId: 'anthropic',
    geo: 'us',
    // Claude 4.5 and older run anywhere and are billed so.
    notFor: /^claude-(?:[123]|(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|-?$|-2|@))/,
    times: [11n, 10n],
    source: 'https://platform.claude.com/docs/en/build-with-claude/data-residency, read 2026-11-27; Claude Code 2.1.332 computes the same',
  },
];

/** Places that cost nothing more. */
const anywhere: ReadonlySet<string> = new Set(['', 'global', 'not_available']);

export interface GeoQuery {
  readonly providerId: string;
  readonly model: string;
  /** The provider's own word. */
  readonly geo: string;
}

/** A price where the model ran. @returns undefined when the provider may bill the place apart and no row has it: the cost is unknown then. */
export function priceInGeo(price: Price, { providerId, model, geo: given }: GeoQuery): Price | undefined {
  const geo = given.toLowerCase();
  if (anywhere.has(geo) || !geoPrices.some((row) => row.providerId === providerId)) return price;
  const row = geoPrices.find((each) => each.providerId === providerId && each.geo === geo);
  if (row === undefined) return undefined;
  if (row.notFor.test(model)) return price;
  const rates = Array.from(price.rates, ([kind, rate]): [RateKind, Rate] => [
    kind,
    untiered.includes(kind) ? rate : scaledRate(rate, row.times),
  ]);
  return { ...price, reference: `${price.reference} (${geo})`, rates: new Map(rates) };
}
