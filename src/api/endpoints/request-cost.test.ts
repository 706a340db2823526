import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RequestCost, requestCostAnswerSchema } from '../../contract/requests/cost.ts';
import { newId } from '../../ingest/testing/ingest-harness.ts';
import { moneyOfUsd, parseMoney, zeroMoney } from '../../model/pricing/money.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { listSource } from '../../pricing/tables/price-list.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());
beforeEach(() => putPrices([]));

const costPath = (id: string): string => `/v1/request/${id}/cost`;

async function putPrices(body: readonly unknown[]): Promise<void> {
  expect((await rig.call('PUT', '/v1/prices', { key: keyOf('admin'), body })).status).toBe(200);
}

async function costOf(id: string): Promise<RequestCost> {
  const { data } = await checked(await rig.call('GET', costPath(id), { key: keyOf('r') }), 200, requestCostAnswerSchema);
  const sum = data.lines.reduce((total, { amount }) => total + (moneyOfUsd(amount) ?? 0n), 0n);
  expect(sum).toBe(data.lines.length > 0 ? moneyOfUsd(data.total ?? 0) : 0n);
  return data;
}

async function costOfRecord(record: Partial<RequestRecord>): Promise<RequestCost> {
  const requestId = newId();
  await rig.insert([{ requestId, ...record }]);
  return costOf(requestId);
}

const money = (text: string) => parseMoney(text) ?? zeroMoney;
const gpt4o: Partial<RequestRecord> = {
  provider: 'OPENAI',
  responseModel: 'gpt-4o-2024-08-06',
  createdAt: Date.parse('2026-01-15T12:00:00Z'),
  usage: { ...unreportedUsage, promptTokens: 1830, promptCacheReadTokens: 1664, completionTokens: 17 },
  // 166 tokens at 2.50, 1,664 at 1.25, 17 at 10.
  cost: money('0.002665'),
  costSource: 'price-book',
  priceReference: 'openai/gpt-4o',
  appliedPrice: '{"table":"price-book","rates":{"input":"2.5","cache_read":"1.25","output":"10"}}',
};
const listedLines = [
  { kind: 'input', tokens: 166, price_per_million: 2.5, amount: 0.000415, price_source: 'price-book', stated_by: null, valid_from: null },
  {
    kind: 'cache_read',
    tokens: 1664,
    price_per_million: 1.25,
    amount: 0.00208,
    price_source: 'price-book',
    stated_by: null,
    valid_from: null,
  },
  { kind: 'output', tokens: 17, price_per_million: 10, amount: 0.00017, price_source: 'price-book', stated_by: null, valid_from: null },
];

describe('GET /v1/request/{id}/cost', () => {
  it('explains each kind of token of a recorded call, and agrees with the cost of the request', async () => {
    const explained = await costOf(rig.stored);
    const item = (await (await rig.call('GET', `/v1/request/${rig.stored}`)).json()) as { data: { cost: number; cost_source: string } };
    expect(explained).toMatchObject({ total: item.data.cost, source: item.data.cost_source, differs: false, note: null });
    expect(explained.lines.map(({ kind, price_per_million: price }) => [kind, price])).toEqual([
      ['input', 1],
      ['output', 2],
    ]);
    expect(explained.lines[0]).toMatchObject({ price_source: 'built-in', valid_from: '1970-01-01' });
  });

  it('explains tokens from a cache by their own price', async () => {
    expect(await costOfRecord(gpt4o)).toEqual({
      total: 0.002665,
      source: 'price-book',
      lines: listedLines,
      recomputed_total: 0.002665,
      differs: false,
      nearest: null,
      note: null,
    });
  });

  it('stays with the price that was applied when prices are changed, and says that they were', async () => {
    await putPrices([{ model: 'gpt-4o*', provider: 'openai', input: 1, output: 1, valid_from: '2026-01-15' }]);
    expect(await costOfRecord(gpt4o)).toMatchObject({ total: 0.002665, lines: listedLines, recomputed_total: 0.001847, differs: true });
  });

  it('names the organisation’s own price, the time from which it holds, and kinds that have no column', async () => {
    const usage = { ...unreportedUsage, promptTokens: 100, promptCacheWriteTokens: 60, promptCacheWriteHourTokens: 40 };
    const appliedPrice = '{"table":"organization","valid_from":"2026-01-01","rates":{"input":"1","cache_write_1h":"2","output":"0"}}';
    expect(await costOfRecord({ ...gpt4o, usage, cost: money('0.00014'), appliedPrice, priceReference: 'gpt-4o' })).toMatchObject({
      lines: [
        { kind: 'input', tokens: 60, amount: 0.00006, price_source: 'organization', valid_from: '2026-01-01' },
        { kind: 'cache_write_1h', tokens: 40, amount: 0.00008, price_source: 'organization', valid_from: '2026-01-01' },
      ],
    });
  });

  it('explains a record that kept no price by the tables, when they still make the same of it', async () => {
    const lines = listedLines.map((line) => ({ ...line, stated_by: listSource }));
    expect(await costOfRecord({ ...gpt4o, appliedPrice: '' })).toMatchObject({ lines, differs: false });
  });

  it('gives one line and says why when the price of such a record is gone', async () => {
    expect(await costOfRecord({ ...gpt4o, appliedPrice: '', cost: money('0.5') })).toEqual({
      total: 0.5,
      source: 'price-book',
      lines: [
        {
          kind: 'total',
          tokens: null,
          price_per_million: null,
          amount: 0.5,
          price_source: 'price-book',
          stated_by: null,
          valid_from: null,
        },
      ],
      recomputed_total: 0.002665,
      differs: true,
      nearest: null,
      note: 'The price that was applied (openai/gpt-4o) is not kept with this record, and the tables have another one by now.',
    });
  });

  it.each([
    ['header', 'The caller gave this cost, in Svc-Cost.'],
    ['provider', 'The provider stated this cost in its answer.'],
  ] as const)('says that a figure is that of the %s, and never recomputes it', async (costSource, note) => {
    expect(await costOfRecord({ ...gpt4o, cost: money('0.25'), costSource, appliedPrice: '', priceReference: '' })).toEqual({
      total: 0.25,
      source: costSource,
      lines: [
        { kind: 'total', tokens: null, price_per_million: null, amount: 0.25, price_source: costSource, stated_by: null, valid_from: null },
      ],
      recomputed_total: 0.25,
      differs: false,
      nearest: null,
      note,
    });
  });

  const unknown: Partial<RequestRecord> = { cost: null, costSource: 'none', priceReference: '', appliedPrice: '' };

  it('says why there is none, and what to do', async () => {
    const explained = await costOfRecord({ ...gpt4o, ...unknown, responseModel: 'house-model', requestModel: 'house-model' });
    expect(explained).toMatchObject({ total: null, source: 'none', lines: [], recomputed_total: null, differs: false });
    expect(explained.note).toBe(
      'There was no price for the model "house-model" of OPENAI, or none for some kind of its tokens. Store one with PUT /v1/prices; "gatelog reprice" applies it to what is on record.',
    );
    const unreported = await costOfRecord({ ...gpt4o, ...unknown, usage: unreportedUsage });
    expect(unreported.note).toBe('No tokens were reported, and none could be estimated, so there is nothing to price.');
    const tier = await costOfRecord({ ...gpt4o, ...unknown, serviceTier: 'scale' });
    expect(tier.note).toContain('at its service tier "scale"');
    const nameless = await costOfRecord({ ...gpt4o, ...unknown, responseModel: '', requestModel: '' });
    expect(nameless.note).toBe('Neither the call nor the answer names a model.');
  });

  it('says that a price has come since', async () => {
    await putPrices([{ model: 'house-model', input: 0, output: 1_000_000 }]);
    const explained = await costOfRecord({ ...gpt4o, ...unknown, responseModel: 'house-model' });
    expect(explained).toMatchObject({ total: null, recomputed_total: 17, differs: true });
  });

  it.each(['none', 'price-book'] as const)(
    'says of an answer from the cache that nothing was paid, whatever its source (%s)',
    async (costSource) => {
      expect(await costOfRecord({ ...gpt4o, cached: true, cost: zeroMoney, costSource })).toEqual({
        total: 0,
        source: costSource,
        lines: [],
        recomputed_total: 0,
        differs: false,
        nearest: null,
        note: 'It was answered from the cache, so nothing was paid for it.',
      });
    },
  );

  it('404 for an unknown request, another organisation’s, and what is no identifier; one on its way says so', async () => {
    for (const id of [newId(), rig.foreign, 'no-identifier']) expect((await rig.call('GET', costPath(id))).status).toBe(404);
    const inFlight = await rig.call('GET', costPath(rig.inFlight));
    expect([inFlight.status, await inFlight.json()]).toMatchObject([404, { code: 'request_in_flight' }]);
    expect(inFlight.headers.get('svc-hint')).toContain('on its way');
    expect((await rig.call('GET', costPath(rig.stored), { key: keyOf('w') })).status).toBe(403);
  });
});
