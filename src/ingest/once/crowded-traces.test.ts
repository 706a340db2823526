import { array, assert, asyncProperty, constantFrom, integer, nat, record } from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RequestId } from '../../model/ids.ts';
import { makeFindTold, type ToldQuery } from '../../store/once/told-rows.ts';
import { makeInsertLines, openStoreRig, requestLine, type StoreRig, tenant } from '../../store/testing/store-harness.ts';
import { byLength, testSeed } from '../../../test/support/test-length.ts';
import { queriesAround } from './known-record.ts';
import { rowsAround } from './rows-around.ts';
import { linksOf } from '../interpret/links.ts';
import { relationOf, type TellsOfCall } from './same-call.ts';

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(async () => rig.close());

const startMs = Date.UTC(2026, 10, 1);

function told(id: string, given: Partial<TellsOfCall> = {}): TellsOfCall {
  const [from, to] = [given.from ?? startMs, given.to ?? startMs + 100];
  const call = {
    traceId: 'a'.repeat(32),
    isOfSpan: true,
    ids: [id],
    parentIds: ['root'],
    carrierIds: [],
    scopes: ['client'],
    responseId: '',
  };
  return { ...call, provider: 'OPENAI', models: ['gpt-4o'], ...given, from, to };
}

let batches = 0;

/** Stores what is told as records. @returns their identifiers, in the same order. */
async function store(all: readonly TellsOfCall[]): Promise<readonly RequestId[]> {
  const lines = all.map(({ traceId, isOfSpan, ids, parentIds, carrierIds, scopes, responseId, provider, models, from, to }) => {
    const span = { traceId, ids, parentIds, carrierIds, scopes, hasTexts: false, usage: 1, keyId: 'key' } as const;
    const links = linksOf({ ...span, responseId, provider: 'openai', models, endedAt: to }).filter((link) => isOfSpan || link !== '*');
    return requestLine({
      created_at: seconds(from),
      response_created_at: seconds(to),
      method: 'POST',
      provider,
      request_model: models[0],
      response_id: responseId,
      trace_id: traceId,
      span_id: ids[0],
      span_links: links,
    });
  });
  batches += 1;
  await makeInsertLines(rig.connections)('requests', lines.map(({ line }) => line).join('\n'), `batch-${batches}`);
  return lines.map(({ id }) => id);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

async function foundBeside(records: readonly TellsOfCall[]): Promise<ReadonlySet<RequestId>> {
  const found = new Set<RequestId>();
  for (const { query } of queriesAround(records)) {
    for (const { requestId } of (await makeFindTold(rig.connections)(tenant, query)).rows) found.add(requestId);
  }
  return found;
}

it('in a trace of 12,000 calls of one step, whatever tells of the same call is found, and none of the others', async () => {
  const times = Array.from({ length: 12_000 }, (_, index) => startMs + index * 200);
  const others = times.map((from, index) => told(`other ${index}`, { from, to: from + 100 }));
  const mine = [1, 3000, 6000, 9000, 11_999].map((at) => {
    const from = startMs + at * 200 + 20;
    const [id, to] = [`mine ${at}`, from + 60];
    return {
      span: told(id, { from, to, scopes: ['own'] }),
      rows: [told(id, { from, to, isOfSpan: false }), told(`inside ${at}`, { from, to, parentIds: [id] })],
    };
  });
  const ids = (await store([...mine.flatMap(({ rows }) => rows), ...others])).slice(0, 2 * mine.length);
  const found = await foundBeside(mine.map(({ span }) => span));
  expect(ids.filter((id) => !found.has(id))).toEqual([]);
  // Those of the other instrumentation within a second or so.
  expect(found.size).toBeLessThan(100);
  expect((await foundBeside([told('mine', { from: startMs + 20, to: startMs + 80 })])).size).toBe(0);
});

it('what is found is in the order of its arrival, page after page', async () => {
  const trace = { traceId: 'c'.repeat(32), ids: ['same'] };
  const times = Array.from({ length: 8000 }, (_, index) => startMs + (index >> 2));
  await store(times.map((from, index) => told(`${index}`, { ...trace, from, to: from + 10 })).toReversed());
  const [look] = queriesAround([told('same', trace)]);
  const { rows, isComplete } = await makeFindTold(rig.connections)(tenant, look?.query as ToldQuery);
  expect([rows.map(({ createdAt }) => createdAt), isComplete]).toEqual([times, true]);
});

it('what is more than is compared at once is told', async () => {
  const trace = { traceId: 'd'.repeat(32), ids: ['same'] };
  const links = Array.from({ length: 16 }, (_, index) => `${index}`.repeat(1000));
  await store(Array.from({ length: 1100 }, () => told('', { ...trace, scopes: links })));
  const [look] = queriesAround([told('same', trace)]);
  const { rows, isComplete } = await makeFindTold(rig.connections)(tenant, look?.query as ToldQuery);
  expect(isComplete).toBe(false);
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.length).toBeLessThan(1100);
});

it.each([100, 3000])('a look around many records takes all that they are called, with identifiers of %i characters', async (length) => {
  const all = Array.from({ length: 2500 }, (_, index) => {
    const id = index.toString(16).padStart(16, 'a');
    const from = startMs + index * 1000;
    const named = { traceId: id + id, ids: [id], parentIds: [`b${id.slice(1)}`], carrierIds: [`c${id.slice(1)}`] };
    return told(id, { ...named, responseId: 'r'.repeat(length) + id, from, to: from + 100 });
  });
  expect(queriesAround(all)).toHaveLength(1);
  expect(await foundBeside(all)).toEqual(new Set());
});

it('where a look around many records finds too much, a few of them are looked around at a time', async () => {
  const all = Array.from({ length: 1000 }, (_, index) => told(`${index}`));
  const looks: number[] = [];
  let crowds = 0;
  const rows = await rowsAround(
    all,
    ({ spanIds }) => {
      looks.push(spanIds.length);
      return Promise.resolve({ rows: [], isComplete: spanIds.length <= 200 });
    },
    () => (crowds += 1),
  );
  expect([looks, crowds, rows]).toEqual([[1000, 250, 250, 250, 250], 4, []]);
});

const text = (...texts: string[]) => constantFrom(...texts);
const some = (...texts: string[]) => array(constantFrom(...texts), { maxLength: 2 });

const anything = record({
  traceId: text('a'.repeat(32), 'b'.repeat(32)),
  isOfSpan: constantFrom(true, false),
  ids: array(text('1', '2', '3', '4', '5', '6'), { minLength: 1, maxLength: 2 }),
  parentIds: some('1', '2', '3', '7', '8'),
  carrierIds: some('1', '9'),
  scopes: some('client', 'other', 'third'),
  responseId: text('', '', 'resp_68af0c1d2e', 'chatcmpl-847'),
  provider: text('OPENAI', 'CUSTOM'),
  models: constantFrom(['gpt-4o'], ['gpt-5'], ['']),
  at: nat(30_000),
  ms: integer({ min: 0, max: 3000 }),
});

it('finds whatever is related', { timeout: 300_000 }, async () => {
  let runs = 0;
  await assert(
    asyncProperty(
      array(anything, { minLength: 1, maxLength: 40 }),
      array(anything, { minLength: 1, maxLength: 6 }),
      async (rows, batch) => {
        // Apart from the other runs.
        runs += 1;
        const shift = startMs + runs * 30 * 3_600_000;
        const inTime = ({ at, ms, ...each }: (typeof rows)[number]): TellsOfCall => ({ ...each, from: shift + at, to: shift + at + ms });
        const stored = rows.map(inTime);
        const ids = await store(stored);
        const own = batch.map(inTime);
        const found = await foundBeside(own);
        const related = ids.filter((_, index) =>
          own.some((span) => stored[index] !== undefined && relationOf(span, stored[index]) !== undefined),
        );
        expect(related.filter((id) => !found.has(id))).toEqual([]);
      },
    ),
    { numRuns: byLength(30, 300), seed: testSeed() },
  );
});
