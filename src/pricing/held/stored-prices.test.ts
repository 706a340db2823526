import { beforeEach, expect, it } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observation } from '../../model/observation.ts';
import type { StoredPrice } from '../../model/pricing/stored-price.ts';
import { makeStoredPrices, type StoredPrices } from './stored-prices.ts';

const ours = '01890000-0000-7000-8000-000000000001' as OrganizationId;
const other = '01890000-0000-7000-8000-000000000002' as OrganizationId;
let stored: Map<OrganizationId, readonly StoredPrice[]>;
let now: number;
let looks: number;
let breaks: boolean;
let observed: Observation[];
let prices: StoredPrices;

beforeEach(() => {
  stored = new Map();
  [now, looks, breaks, observed] = [0, 0, false, []];
  prices = makeStoredPrices({
    lookUp: (organizationId) => {
      looks += 1;
      if (breaks) throw new Error('the database is away');
      return stored.get(organizationId) ?? [];
    },
    monotonic: () => now,
    observe: (observation) => observed.push(observation),
  });
});

const priceOf = (model: string): StoredPrice => ({ model, provider: null, validFrom: null, rates: { input: 1, output: 1 } });
const modelsOf = (organizationId: OrganizationId) => prices.get(organizationId).map(({ price }) => price.reference);

it('are looked up once in two seconds for each organisation, and a change is seen within five', () => {
  stored.set(ours, [priceOf('a')]);
  expect([modelsOf(ours), modelsOf(other), modelsOf(ours)]).toEqual([['a'], [], ['a']]);
  expect(looks).toBe(2);
  stored.set(ours, [priceOf('b')]);
  now = 4999;
  expect(modelsOf(ours)).toEqual(['b']);
});

it('of this process itself are seen at once', () => {
  modelsOf(ours);
  stored.set(ours, [priceOf('a')]);
  prices.forget(ours);
  expect(modelsOf(ours)).toEqual(['a']);
});

it('that were seen hold while the database is away; unseen ones are an error, not none', () => {
  stored.set(ours, [priceOf('a')]);
  modelsOf(ours);
  breaks = true;
  now = 60_000;
  expect(modelsOf(ours)).toEqual(['a']);
  expect(() => prices.get(other)).toThrow('The prices of the organisation cannot be read at the moment');
  expect(observed).toEqual(Array.from({ length: 2 }, () => ({ kind: 'prices_failed', reason: 'the database is away' })));
});
