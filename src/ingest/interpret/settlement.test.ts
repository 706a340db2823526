import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Money, parseMoney } from '../../model/pricing/money.ts';
import { chatResponse, type ExchangeSketch, type IngestRig, openRig, SpoolRig, until } from '../testing/ingest-harness.ts';
import { openEnvironment } from '../../state/lmdb.ts';
import { FixedWindows } from '../../state/fixed-windows.ts';
import type { BudgetSettlement } from './settlement.ts';

let rig: IngestRig;

beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

const usd = (amount: string): Money | undefined => parseMoney(amount);
/** Three words in and two out, at the echo provider's price. */
const cost = usd('0.000007');
const answered = (status: number): ExchangeSketch => ({ head: { status }, response: '{"error":{"message":"no"}}' });

/** Stores exchanges, each with a reservation. @returns what they are settled with, in their order. */
async function settled(sketches: readonly ExchangeSketch[]): Promise<(Money | undefined)[]> {
  const spool = new SpoolRig(rig);
  const settlements: BudgetSettlement[] = [];
  const writer = spool.openWriter();
  const ids = [];
  for (const preview of sketches) ids.push(await spool.write(writer, { ...preview, open: { reserved: true, ...preview.open } }));
  await spool.killWriter(writer);
  await spool.drainAll({ settleBudgets: async (given) => void settlements.push(...given) });
  expect(settlements.map(({ organizationId }) => organizationId)).toEqual(ids.map(() => spool.organizationId));
  return ids.map((id) => settlements.find(({ requestId }) => requestId === id)?.amount);
}

describe('an exchange with a reservation is settled', () => {
  it('with what it cost', async () => {
    expect(await settled([{}])).toEqual([cost]);
  });

  it('with what it cost and not with Svc-Cost, nor at the price of a model that only the caller names', async () => {
    const [own, renamed] = await settled([
      { open: { tags: { properties: [], cost: '0' } } },
      {
        open: { provider: 'openai', tags: { properties: [], modelOverride: 'gpt-4o-mini' } },
        response: chatResponse.replace('echo-1', 'gpt-4'),
      },
    ]);
    // gpt-4: 30 and 60 USD a million.
    expect([own, renamed]).toEqual([cost, usd('0.00021')]);
  });

  it('at the price of the override where the model has none', async () => {
    const preview = { open: { provider: 'azure', tags: { properties: [], modelOverride: 'gpt-4', cost: '9' } } };
    expect(await settled([preview])).toEqual([usd('0.00021')]);
  });

  it('with nothing where nothing was answered that could be billed', async () => {
    const refused: ExchangeSketch = { ...answered(422), end: { outcome: 'refused' } };
    const unreachable: ExchangeSketch = { ...answered(502), end: { outcome: 'no_response' } };
    expect(await settled([answered(500), answered(429), refused, unreachable])).toEqual([0n, 0n, 0n, 0n]);
  });

  it('with what is not known, which leaves it counted in full, where the provider may have billed all the same', async () => {
    const unpriced: ExchangeSketch = { open: { provider: 'custom' } };
    const timedOut: ExchangeSketch = { ...answered(504), end: { outcome: 'no_response' } };
    const left: ExchangeSketch = { head: null, response: '', end: { outcome: 'client_left' } };
    const killed: ExchangeSketch = { head: null, response: '', end: null };
    const cutShort: ExchangeSketch = { response: chatResponse.replace(/,"usage":.*/, '}'), end: { responseCut: true } };
    const attempts = [
      { provider: 'openai', status: 0, ms: 5, error: 'provider_timeout' },
      { provider: 'openai', status: 429, ms: 5 },
    ];
    const refusedLater: ExchangeSketch = { ...answered(429), end: { attempts } };
    // Counted by us: a request of which nothing was kept, and one with a picture in it.
    const uncounted = chatResponse.replace(/,"usage":.*/, '}');
    const kept: ExchangeSketch = { response: uncounted, request: '', open: { tags: { properties: [], requestBody: 'never' } } };
    const picture = '{"model":"echo-1","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}}]}]}';
    const all = [unpriced, timedOut, left, killed, cutShort, refusedLater, kept, { response: uncounted, request: picture }];
    expect(await settled(all)).toEqual(all.map(() => undefined));
  });

  it('with what was seen of an answer that was cut by the death of its worker', async () => {
    expect(await settled([{ end: null }])).toEqual([cost]);
  });
});

it('a batch that a crash interrupts is settled again and counts once', async () => {
  const spool = new SpoolRig(rig);
  const environment = openEnvironment(path.join(rig.folder, 'state'), 16 * 1024 * 1024, () => undefined);
  const windows = new FixedWindows(environment, 16 * 1024 * 1024);
  const usedOf = (): bigint => 1000n - (windows.claim([{ ...claim, amount: 0n }], 0, ['none', 'none']).states[0]?.left ?? 0n);
  const claim = { name: ['budget'], quota: { amount: 1000n, windowMs: 60_000 }, amount: 100n, isEstimate: true };
  const writer = spool.openWriter();
  const requestId = await spool.write(writer, { open: { reserved: true }, response: '{}', head: { status: 500 } });
  windows.claim([claim], 0, [spool.organizationId, requestId]);
  windows.claim([claim], 0, [spool.organizationId, 'another']);
  let times = 0;
  const settleBudgets = async (given: readonly BudgetSettlement[]): Promise<void> => {
    times += 1;
    windows.settle(given.map((each) => ({ reservation: [each.organizationId, each.requestId] as const, amount: each.amount })));
  };
  const dying = await spool.openDrain({ settleBudgets, insert: () => Promise.reject(new Error('the store is away')) });
  dying.start();
  await until(() => times > 0);
  await dying.stop(0);
  expect(usedOf()).toBe(100n);
  await spool.drainAll({ settleBudgets });
  expect(times).toBeGreaterThan(1);
  expect([usedOf(), (await spool.storedIds()).requests]).toEqual([100n, [requestId]]);
  await environment.close();
});

it('an exchange without a reservation is not settled, and a settlement that fails holds no record up', async () => {
  const spool = new SpoolRig(rig);
  const asked: unknown[] = [];
  const writer = spool.openWriter();
  const plain = await spool.write(writer);
  const reserved = await spool.write(writer, { open: { reserved: true } });
  await spool.drainAll({
    settleBudgets: async (given) => {
      asked.push(...given.map(({ requestId }) => requestId));
      throw new Error('the map is full');
    },
  });
  expect(asked).toEqual([reserved]);
  expect((await spool.storedIds()).requests.toSorted()).toEqual([plain, reserved].toSorted());
  expect(spool.observations).toContainEqual({ kind: 'limits_failed', reason: 'the map is full' });
});
