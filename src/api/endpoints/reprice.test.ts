import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changesAnswerSchema } from '../../contract/requests/changes.ts';
import { type RepriceItem, repriceAnswerSchema } from '../../contract/reprice.ts';
import { requestQueryAnswerSchema } from '../../contract/requests/query.ts';
import { newId } from '../../ingest/testing/ingest-harness.ts';
import type { RequestId } from '../../model/ids.ts';
import { parseMoney, zeroMoney } from '../../model/pricing/money.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { type ApiRig, changesPath, checked, keyOf, openApiRig, propertyPath, queryPath } from '../testing/api-harness.ts';

const path = '/v1/prices/apply';
const noon = Date.parse('2026-01-15T12:00:00Z');
const money = (text: string) => parseMoney(text) ?? zeroMoney;
let rig: ApiRig;

beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());
beforeEach(() => putPrices([]));

async function putPrices(body: readonly unknown[]): Promise<void> {
  expect((await rig.call('PUT', '/v1/prices', { key: keyOf('admin'), body })).status).toBe(200);
}

const apply = (body: unknown, key = keyOf('admin')): Promise<Response> => rig.call('POST', path, { key, body });

async function applied(body: unknown): Promise<RepriceItem> {
  return (await checked(await apply(body), 200, repriceAnswerSchema)).data;
}

/** Requests of a job of their own, each of a million tokens of output, in the order of their arrival. */
async function recorded(job: string, records: readonly Partial<RequestRecord>[]): Promise<RequestId[]> {
  const ids = records.map((_, index) => newId(noon + index));
  const usage = { ...unreportedUsage, completionTokens: 1_000_000 };
  await rig.insert(
    records.map((record, index) => ({
      requestId: ids[index] as RequestId,
      createdAt: noon + index,
      jobId: job,
      provider: 'OPENAI',
      responseModel: 'house-model',
      model: 'house-model',
      usage,
      ...record,
    })),
  );
  return ids;
}

const ofJob = (job: string) => ({ request_response_rmt: { job_id: { equals: job } } });

async function costsOf(job: string): Promise<(readonly [cost: number | null, source: string])[]> {
  const body = { filter: ofJob(job), limit: 1000, sort: { created_at: 'asc' } };
  const { data } = await checked(await rig.call('POST', queryPath, { body }), 200, requestQueryAnswerSchema);
  return data.map((item) => [item.cost, item.cost_source]);
}

const historyOf = async (id: string) => (await checked(await rig.call('GET', changesPath(id)), 200, changesAnswerSchema)).data;

describe('POST /v1/prices/apply', () => {
  it('tells the difference without a change, makes it, and has nothing to do the second time', async () => {
    const job = 'three models';
    const [first = '', , , fourth = ''] = await recorded(job, [
      {},
      {},
      { responseModel: 'other-model', model: 'other-model' },
      {
        responseModel: 'gpt-4o',
        model: 'gpt-4o',
        cost: money('99'),
        costSource: 'price-book',
        priceReference: 'house',
        appliedPrice: '{}',
      },
      { responseModel: 'gpt-4o', model: 'gpt-4o', cost: money('10'), costSource: 'price-book', priceReference: 'openai/gpt-4o' },
    ]);
    await putPrices([{ model: 'house-model', input: 0, output: 3.5 }]);
    const difference = {
      total: 5,
      checked: 5,
      stated: 0,
      changed: 3,
      before: 99,
      after: 17,
      by_model: [
        { model: 'house-model', changed: 2, before: 0, after: 7 },
        { model: 'gpt-4o', changed: 1, before: 99, after: 10 },
      ],
      cursor: null,
    };
    const before = await costsOf(job);
    expect(await applied({ filter: ofJob(job), dryRun: true })).toEqual(difference);
    expect(await costsOf(job)).toEqual(before);
    expect(await applied({ filter: ofJob(job) })).toEqual(difference);
    expect(await costsOf(job)).toEqual([
      [3.5, 'price-book'],
      [3.5, 'price-book'],
      [null, 'none'],
      [10, 'price-book'],
      [10, 'price-book'],
    ]);
    expect(await applied({ filter: ofJob(job) })).toMatchObject({ checked: 5, changed: 0, before: 0, after: 0, by_model: [] });
    expect(await historyOf(first)).toMatchObject([{ kind: 'cost', name: 'cost', old: null, new: 3.5 }]);
    expect(await historyOf(fourth)).toMatchObject([{ kind: 'cost', name: 'cost', old: 99, new: 10 }]);
    const explained: unknown = await (await rig.call('GET', `/v1/request/${first}/cost`)).json();
    expect(explained).toMatchObject({ data: { total: 3.5, differs: false, lines: [{ kind: 'output', price_source: 'organization' }] } });
  });

  it('takes away a cost whose price is gone, and says so in the history', async () => {
    const job = 'a price that went';
    const [id = ''] = await recorded(job, [{ cost: money('5'), costSource: 'price-book', priceReference: 'house', appliedPrice: '{}' }]);
    expect(await applied({ filter: ofJob(job) })).toMatchObject({ changed: 1, before: 5, after: 0 });
    expect(await costsOf(job)).toEqual([[null, 'none']]);
    expect(await historyOf(id)).toMatchObject([{ kind: 'cost', old: 5, new: null }]);
  });

  it('leaves what the caller or the provider stated, and answers from the cache', async () => {
    const job = 'stated';
    const costs: readonly Partial<RequestRecord>[] = [
      { cost: money('1'), costSource: 'header' },
      { cost: money('2'), costSource: 'provider' },
      { cost: zeroMoney, costSource: 'price-book', cached: true },
    ];
    await recorded(job, costs);
    await putPrices([{ model: '*', input: 7, output: 7 }]);
    expect(await applied({ filter: ofJob(job) })).toMatchObject({ checked: 3, stated: 3, changed: 0 });
    expect(await costsOf(job)).toEqual([
      [1, 'header'],
      [2, 'provider'],
      [0, 'price-book'],
    ]);
  });

  it('goes on by its cursor, each request once, whatever arrives meanwhile', async () => {
    const job = 'many';
    await recorded(
      job,
      Array.from({ length: 25 }, () => ({})),
    );
    await putPrices([{ model: 'house-model', input: 0, output: 1 }]);
    const calls: RepriceItem[] = [];
    for (let cursor: string | null | undefined; cursor !== null; cursor = calls.at(-1)?.cursor ?? null) {
      calls.push(await applied({ filter: ofJob(job), limit: 10, ...(cursor === undefined ? {} : { cursor }) }));
      if (calls.length === 1) await recorded(job, [{ createdAt: noon - 1000 }]);
    }
    expect(calls.map(({ total, checked: looked, changed }) => [total, looked, changed])).toEqual([
      [25, 10, 10],
      [null, 10, 10],
      [null, 5, 5],
    ]);
    const foreignCursor = await apply({ filter: 'all', cursor: calls[0]?.cursor });
    expect([foreignCursor.status, await foreignCursor.json()]).toMatchObject([422, { details: { path: 'cursor' } }]);
  });

  it('keeps to its dates: a time to the millisecond, a day as a whole', async () => {
    const job = 'dates';
    await recorded(job, [{}, {}, {}]);
    const matching = async (dates: object) => (await applied({ filter: ofJob(job), dryRun: true, ...dates })).total;
    expect(await matching({ startDate: '2026-01-15', endDate: '2026-01-15' })).toBe(3);
    expect(await matching({ startDate: '2026-01-15T12:00:00.001Z' })).toBe(2);
    expect(await matching({ endDate: '2026-01-15T12:00:00.001Z' })).toBe(2);
    expect(await matching({ startDate: '2026-01-16' })).toBe(0);
    expect(await matching({ endDate: '2026-01-14' })).toBe(0);
  });

  it('loses no change of a property that comes at the same time', async () => {
    const job = 'at the same time';
    const ids = await recorded(
      job,
      Array.from({ length: 40 }, () => ({})),
    );
    await putPrices([{ model: 'house-model', input: 0, output: 2 }]);
    const changes = ids.map((id) => rig.call('PUT', propertyPath(id), { body: { Team: id } }));
    const repricing = [applied({ filter: ofJob(job), limit: 20 }), applied({ filter: ofJob(job) })];
    expect((await Promise.all(changes)).every(({ status }) => status === 200)).toBe(true);
    await Promise.all(repricing);
    const body = { filter: ofJob(job), limit: 100 };
    const { data } = await checked(await rig.call('POST', queryPath, { body }), 200, requestQueryAnswerSchema);
    expect(data.map(({ request_id: id, cost, properties }) => [cost, properties['Team'] === id])).toEqual(ids.map(() => [2, true]));
  });

  it.each([
    ['no filter', {}, 'filter', '`filter` is required'],
    [
      'a filter that is none',
      { filter: { request_response_rmt: { nothing: { equals: 1 } } } },
      'filter.request_response_rmt.nothing',
      'nknown',
    ],
    ['an unwrapped property', { filter: { properties: { a: { equals: 'b' } } } }, 'filter.properties', 'request_response_rmt'],
    ['a date that is none', { filter: 'all', startDate: 'yesterday' }, 'startDate', '`startDate` takes an ISO 8601 time'],
    ['a limit of none', { filter: 'all', limit: 0 }, 'limit', '`limit` takes a whole number from 1 to 1000.'],
    ['a trial that is no flag', { filter: 'all', dryRun: 'yes' }, 'dryRun', '`dryRun` takes true or false.'],
    ['a cursor that is none', { filter: 'all', cursor: 'x' }, 'cursor', '`cursor` is not one that was given here'],
  ])('422 for %s', async (_case, body, place, sentence) => {
    const refused = await apply(body);
    expect([refused.status, await refused.json()]).toMatchObject([
      422,
      { details: { path: place }, error: expect.stringContaining(sentence) as string },
    ]);
  });

  it('403 without the permission admin', async () => {
    for (const permissions of ['rw', 'r', 'w'] as const) expect((await apply({ filter: 'all' }, keyOf(permissions))).status).toBe(403);
  });
});
