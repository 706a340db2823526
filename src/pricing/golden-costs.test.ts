import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseMoney } from '../model/pricing/money.ts';
import { providerNamed, wireFormatFor } from '../providers/registry.ts';
import { priceUsage } from './cost.ts';
import { listedPrices } from './testing/prices.ts';

/** A call as it was answered, and its bill as it follows from the listed prices: kind, quantity, US dollars. */
interface GoldenCase {
  readonly name: string;
  readonly list: string;
  readonly provider: string;
  readonly path: string;
  readonly at: string;
  /** Where the answer names no model. */
  readonly requestModel?: string;
  readonly response: unknown;
  readonly bill: readonly (readonly [kind: string, quantity: number, usd: string])[];
  readonly total: string;
}

interface GoldenTable {
  /** Prices as their source lists them, US dollars for a million. */
  readonly lists: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly cases: readonly GoldenCase[];
}

const { lists, cases } = JSON.parse(readFileSync(new URL('./__fixtures__/golden-costs.json', import.meta.url), 'utf8')) as GoldenTable;
const listed = ({ list }: GoldenCase, kind: string): string => lists[list]?.[kind] ?? 'not listed';

/** Digits of a decimal text as a whole number of 10⁻¹⁸, apart from the arithmetic under test. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(18, '0')}`);
}

describe('the golden table', () => {
  it('has at least sixty cases, over every provider that the price book knows', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
    const providers = new Set(cases.map(({ provider }) => provider));
    const unpriced = [...providers].filter((name) => providerNamed(name)?.priceProviderId === undefined);
    expect(unpriced).toEqual([]);
    expect(providers.size).toBeGreaterThanOrEqual(17);
  });

  it.each(cases)('follows from its lists: $list, $name', (golden) => {
    const amounts = golden.bill.map(([kind, quantity]) => (BigInt(quantity) * scaled(listed(golden, kind))) / 1_000_000n);
    expect(golden.bill.map(([, , usd]) => scaled(usd))).toEqual(amounts);
    expect(scaled(golden.total)).toBe(amounts.reduce((sum, amount) => sum + amount, 0n));
  });
});

describe('a call costs what its list says', () => {
  it.each(cases)('$list, $name: $total USD', (golden) => {
    const { provider, path, at, requestModel, response, bill, total } = golden;
    const fields = wireFormatFor(provider, path)?.readResponse(response);
    if (fields === undefined) throw new Error(`no format at ${path}`);
    const entry = providerNamed(provider);
    const query = {
      provider: entry?.recordName ?? '',
      providerId: entry?.priceProviderId,
      models: [fields.model === '' ? (requestModel ?? '') : fields.model],
      at: Date.parse(at),
      serviceTier: fields.serviceTier,
    };
    const priced = priceUsage(fields.usage, query, listedPrices);
    expect(priced.lines).toEqual(
      bill.map(([kind, tokens, usd]) => ({
        kind,
        tokens,
        pricePerMillion: parseMoney(listed(golden, kind)),
        amount: parseMoney(usd),
      })),
    );
    expect(priced.amount).toBe(parseMoney(total));
  });
});
