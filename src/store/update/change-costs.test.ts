import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StatedCost } from '../../model/record/billed-request.ts';
import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { parseMoney } from '../../model/pricing/money.ts';
import { makeChangeStoredCosts } from './change-costs.ts';
import { makeInsertRows } from '../insert/insert.ts';
import { PendingPatches } from './pending-patches.ts';
import { empty } from '../../query/testing/query-harness.ts';
import { openStoreRig, type StoreRig, tenant } from '../testing/store-harness.ts';
import { rowsOf } from '../insert/rows.ts';

const other = '00000000-0000-7000-8000-00000000000b' as OrganizationId;
const idOf = (index: number) => `00000000-0000-7000-8000-${index.toString(16).padStart(12, '0')}` as RequestId;
const numberOf = (id: RequestId) => `toUInt128('${uuidToNumber(id)}')`;
let rig: StoreRig;

beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(() => rig.close());

const usd = (text: string) => parseMoney(text) ?? null;
const price: StatedCost = {
  cost: usd('1.5'),
  costSource: 'price-book',
  priceReference: 'house',
  appliedPrice: '{"rates":{"input":"1\'"}}',
};

async function store(records: readonly Parameters<typeof rowsOf>[0][], token: string): Promise<void> {
  await makeInsertRows(rig.connections)(
    'requests',
    records.map((record) => rowsOf(record, 0).request),
    token,
  );
}

it('changes the costs of one organisation’s requests in groups, with all that belongs to a cost, and nothing else', async () => {
  const records = Array.from({ length: 1100 }, (_, index) => ({
    ...empty,
    organizationId: tenant,
    requestId: idOf(index),
    createdAt: 1_700_000_000_000 + index,
    properties: new Map([['Team', String(index)]]),
  }));
  await store([...records, ...records.slice(0, 3).map((record) => ({ ...record, organizationId: other }))], 'groups');
  await makeChangeStoredCosts(
    rig.connections,
    new PendingPatches(),
  )({
    organizationId: tenant,
    keyId: 'key',
    acceptedAt: 1_800_000_000_000,
    changes: records.map(({ requestId, createdAt }, index) => ({
      requestId,
      createdAt,
      before: null,
      after: { ...price, cost: usd(String(index)) },
      number: index,
    })),
  });
  const rows = await rig.run(
    `SELECT org_id = {tenant:UInt128} AS ours, count() AS requests, toString(sum(cost)) AS costs, uniqExact(cost) AS different, groupUniqArray(cost_source) AS sources,
       groupUniqArray(price_reference) AS places, groupUniqArray(applied_price) AS prices, countIf(properties['Team'] = toString(toUnixTimestamp64Milli(created_at) - 1700000000000)) AS kept
     FROM requests GROUP BY ours ORDER BY ours`,
  );
  expect(rows).toMatchObject([
    { ours: 0, requests: 3, costs: null, sources: ['none'], places: [''], prices: [''], kept: 3 },
    {
      ours: 1,
      requests: 1100,
      costs: '604450',
      different: 1100,
      sources: ['price-book'],
      places: ['house'],
      prices: [price.appliedPrice],
      kept: 1100,
    },
  ]);
  const [history] = await rig.run(
    `SELECT count() AS entries, uniqExact(number) AS numbers FROM changes WHERE kind = 'cost' AND old = 'null'`,
  );
  expect(history).toEqual({ entries: 1100, numbers: 1100 });
});

it('leaves a cost that somebody stated meanwhile, and the answer of a cache', async () => {
  const stated = [
    { ...empty, organizationId: tenant, requestId: idOf(5001), cost: usd('7'), costSource: 'header' as const },
    { ...empty, organizationId: tenant, requestId: idOf(5002), cost: usd('0'), costSource: 'price-book' as const, cached: true },
  ];
  await store(stated, 'stated');
  const changes = stated.map(({ requestId, createdAt, cost }, index) => ({
    requestId,
    createdAt,
    before: cost,
    after: price,
    number: index,
  }));
  await makeChangeStoredCosts(rig.connections, new PendingPatches())({ organizationId: tenant, keyId: 'key', acceptedAt: 1, changes });
  const rows = await rig.run(
    `SELECT toString(cost) AS cost FROM requests WHERE request_id IN (${stated.map(({ requestId }) => numberOf(requestId)).join(', ')}) ORDER BY request_id`,
  );
  expect(rows).toEqual([{ cost: '7' }, { cost: '0' }]);
});

it('writes no entry where a price comes to the same', async () => {
  const record = { ...empty, organizationId: tenant, requestId: idOf(6001), cost: usd('1.5'), costSource: 'price-book' as const };
  await store([record], 'same');
  const { requestId, createdAt, cost } = record;
  const changes = [{ requestId, createdAt, before: cost, after: price, number: 1 }];
  await makeChangeStoredCosts(rig.connections, new PendingPatches())({ organizationId: tenant, keyId: 'key', acceptedAt: 1, changes });
  const id = numberOf(requestId);
  expect(await rig.run(`SELECT applied_price FROM requests WHERE request_id = ${id}`)).toEqual([{ applied_price: price.appliedPrice }]);
  expect(await rig.run(`SELECT number FROM changes WHERE request_id = ${id}`)).toEqual([]);
});
