import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatelogError } from '../../model/errors.ts';
import { makeChangeStored } from '../update/change.ts';
import { failureText, isOverMemory, isOverResult, isRejection, isTooLarge, storeFailure } from '../engine/failure.ts';
import type { Statement } from '../../sql/statement.ts';
import { type RunStatement, runUntilRows } from './run-statement.ts';
import { openStore } from '../store.ts';
import {
  createdAt,
  makeInsertLines,
  memoryBytes,
  nastyTexts,
  openStoreRig,
  requestLine,
  type RunTextOptions,
  type StoreRig,
  tenant,
} from '../testing/store-harness.ts';

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(async () => rig.close());

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** Work that goes on until a test ends it. */
function deferred(): Deferred {
  const ends: (() => void)[] = [];
  const promise = new Promise<void>((done) => ends.push(done));
  return { promise, resolve: () => ends[0]?.() };
}

/** Rows come out for a second, then the time is over: the engine has put out some of them by then. */
const slowSecret = "SELECT number, sleepEachRow(0.001) AS slept, 'secret' AS secret FROM numbers(100000) SETTINGS max_block_size = 100";

const engineError = (code: string): Error => Object.assign(new Error('row: "secret"'), { code, type: 'SOME_TYPE' });

describe('a failed query', () => {
  test('over its memory is query_too_large', async () => {
    await expect(rig.run('SELECT groupArray(toString(number)) FROM numbers(100000000)')).rejects.toMatchObject({
      code: 'query_too_large',
      status: 422,
    });
  });

  test('in a time zone that the engine does not know names the way out', async () => {
    await expect(rig.run("SELECT toHour(now(), 'Nowhere/City') AS hour")).rejects.toMatchObject({
      code: 'invalid_body',
      details: { path: 'timezone' },
      message: expect.stringContaining('timezoneDifference') as string,
    });
  });

  test('that is wrong is internal, and the engine speaks in the cause alone', async () => {
    const error = await rig.run('SELECT nonsense FROM requests').catch((thrown: unknown) => thrown as GatelogError);
    expect(error).toMatchObject({ code: 'internal', message: 'The store could not run this query.' });
    expect(String((error as GatelogError).cause)).toContain('nonsense');
  });

  test('over its time is query_timeout, and leaves nothing of its output to the next one on its connection, whoever asks', async () => {
    const failing = [1, 2].map(() => rig.run(slowSecret, { queryTimeoutMs: 1000 }).catch((error: unknown) => error));
    expect(await Promise.all(failing)).toMatchObject([
      { code: 'query_timeout', status: 504 },
      { code: 'query_timeout', status: 504 },
    ]);
    const answers = await Promise.all(Array.from({ length: 6 }, () => rig.run("SELECT 'mine' AS of")));
    for (const answer of answers) expect(answer).toEqual([{ of: 'mine' }]);
  });

  test('is ended after the milliseconds that were set, in either lane', async () => {
    const endless = 'SELECT count() FROM numbers(1e12) WHERE NOT ignore(sipHash64(number))';
    for (const lane of ['short', 'long'] as const) {
      const startedAt = performance.now();
      await expect(rig.run(endless, { lane, queryTimeoutMs: 150 })).rejects.toMatchObject({ code: 'query_timeout' });
      // Nearer to its own limit than to the 30 s of a query without one.
      expect(performance.now() - startedAt).toBeLessThan(15_000);
    }
  });

  test('whose caller has left neither', async () => {
    const leaving = new AbortController();
    const left = rig.run(slowSecret, { lane: 'long', queryTimeoutMs: 1000, signal: leaving.signal }).catch((error: unknown) => error);
    setImmediate(() => leaving.abort());
    expect(await rig.run("SELECT 'mine' AS of", { lane: 'long' })).toEqual([{ of: 'mine' }]);
    expect(await left).toBeInstanceOf(GatelogError);
  });

  test('whose caller has left before its turn does not run', async () => {
    await expect(rig.run('SELECT sleep(3)', { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(GatelogError);
  });
});

test.each(['short', 'long', 'export'] as const)('other work runs while many rows of a read in the lane %s are parsed', async (lane) => {
  let other: 'not begun' | 'waits' | 'done' = 'not begun';
  const seen: string[] = [];
  const decode = <Row>(row: Row): Row => {
    if (other === 'not begun') setImmediate(() => (other = 'done'));
    if (other === 'not begun') other = 'waits';
    seen.push(other);
    return row;
  };
  await rig.run("SELECT number, repeat('x', 300) AS text FROM numbers(60000)", { lane, decode });
  expect(seen).toHaveLength(60_000);
  expect([seen[0], seen.at(-1)]).toEqual(['waits', 'done']);
});

describe('an error of the engine', () => {
  test.each([
    ['159', 'query_timeout'],
    ['241', 'query_too_large'],
    ['202', 'store_unavailable'],
    ['243', 'store_unavailable'],
    ['62', 'internal'],
  ])('%s is %s', (code, expected) => {
    expect(storeFailure(engineError(code))).toMatchObject({ code: expected });
  });

  test('that is none is a store that is away', () => {
    expect(storeFailure(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))).toMatchObject({
      code: 'store_unavailable',
      status: 503,
    });
    expect(storeFailure('text')).toMatchObject({ code: 'store_unavailable' });
  });

  test('tells rows at fault from too many rows from a store that is away', () => {
    expect([isRejection, isTooLarge].map((is) => is(storeFailure(engineError('27'))))).toEqual([true, false]);
    expect([isRejection, isTooLarge].map((is) => is(storeFailure(engineError('241'))))).toEqual([false, true]);
    expect([isRejection, isTooLarge].map((is) => is(storeFailure(engineError('243'))))).toEqual([false, false]);
    expect(isTooLarge(new RangeError('Invalid string length'))).toBe(true);
  });

  test('stands in the log with its code and without what it quotes', () => {
    expect(failureText(storeFailure(engineError('27')))).toBe('The store could not run this query. (engine error 27)');
    expect(failureText(new Error('plain'))).toBe('plain');
  });
});

describe('parameters', () => {
  test.each(nastyTexts)('bring text over as it is: %j', async (text) => {
    expect(await rig.run('SELECT {a:String} AS a, {b:Array(Array(String))} AS b', { params: { a: text, b: [[text, text], []] } })).toEqual([
      { a: text, b: [[text, text], []] },
    ]);
  });

  test('bring numbers over exactly', async () => {
    const params = {
      u: (2n ** 127n).toString(),
      i: '-9223372036854775808',
      d: '1.000000000001',
      b: true,
      l: [1n, 2n ** 127n],
      t: [-1, 1_700_000_000_123],
    };
    const text = `SELECT toString({u:UInt128}) AS u, toString({i:Int64}) AS i, toString({d:Decimal(38, 12)}) AS d, {b:Bool} AS b,
      arrayMap(x -> toString(x), {l:Array(UInt128)}) AS l, arrayMap(x -> toString(x), {t:Array(Int64)}) AS t`;
    expect(await rig.run(text, { params })).toEqual([{ ...params, l: ['1', (2n ** 127n).toString()], t: ['-1', '1700000000123'] }]);
  });

  test('do not mix between queries that run side by side', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `of ${index}`);
    const answers = await Promise.all(texts.map((a) => rig.run<{ a: string }>('SELECT {a:String} AS a', { params: { a } })));
    expect(answers.map(([row]) => row?.a)).toEqual(texts);
  });

  test('have plain names', async () => {
    await expect(rig.run('SELECT 1', { params: { "a = 1, b'": 'x' } })).rejects.toBeInstanceOf(GatelogError);
  });
});

const turn = async (owner: string): Promise<unknown> =>
  rig.connections
    .run('short', async () => new Promise((resolve) => setImmediate(resolve)), { owner })
    .then(
      () => 'done',
      (error: unknown) => error,
    );

describe('lanes', () => {
  test('a slow query in one does not delay the others', async () => {
    let over = false;
    const slow = rig
      .run('SELECT count() FROM numbers(1e11) WHERE NOT ignore(sipHash64(number, {tenant:UInt128}))', {
        lane: 'long',
        queryTimeoutMs: 2000,
      })
      .catch(() => (over = true));
    await rig.run('SELECT 1 AS one WHERE {tenant:UInt128} > 0');
    const { id, line } = requestLine();
    await makeInsertLines(rig.connections)('requests', line, 'lanes-1');
    const change = { kind: 'property', values: new Map([['a', 'b']]) } as const;
    await makeChangeStored(rig.connections)({
      accepted: { organizationId: tenant, requestId: id, change, keyId: 'k', acceptedAt: createdAt, number: 1 },
      createdAt,
    });
    expect(over).toBe(false);
    await slow;
  });

  test('take only so much waiting work of one organisation; the rest is refused at once, and others are not', async () => {
    const turns = Array.from({ length: 700 }, () => turn('a'));
    const other = turn('b');
    const refused = (await Promise.all(turns)).filter((outcome) => outcome !== 'done');
    expect(refused).toHaveLength(700 - 500 - 2);
    expect(refused[0]).toMatchObject({ code: 'service_busy', status: 503, retryAfterSeconds: 2 });
    expect(await other).toBe('done');
  });

  test('of several connections leave one to others, however much one organisation asks', async () => {
    const held = Array.from({ length: 10 }, () => deferred());
    const work = held.map(({ promise }) => rig.connections.run('long', () => promise, { owner: 'a' }));
    await rig.connections.run('long', async () => undefined, { owner: 'b' });
    expect(rig.connections.lanes().find(({ name }) => name === 'long')).toMatchObject({ connections: 3, busy: 2, waiting: 8 });
    for (const { resolve } of held) resolve();
    await Promise.all(work);
  });

  test('keep nobody waiting who has left, or for longer than a query may wait', async () => {
    const held = [deferred(), deferred(), deferred()];
    const work = held.map(({ promise }, owner) => rig.connections.run('short', () => promise, { owner: `${owner}` }));
    const waiting = (): number | undefined => rig.connections.lanes().find(({ name }) => name === 'short')?.waiting;
    const leaving = new AbortController();
    const left = rig.run('SELECT 1', { signal: leaving.signal }).catch((error: unknown) => error);
    await new Promise((resolve) => void setImmediate(resolve));
    expect(waiting()).toBe(1);
    leaving.abort();
    expect(waiting()).toBe(0);
    expect(await left).toBeInstanceOf(GatelogError);
    await expect(rig.run('SELECT 1', { queryMaxWaitMs: 5 })).rejects.toMatchObject({ code: 'service_busy', status: 503 });
    // The wait is part of the time that a query has.
    await expect(rig.run('SELECT 1', { queryTimeoutMs: 5 })).rejects.toMatchObject({ code: 'service_busy' });
    expect(waiting()).toBe(0);
    for (const { resolve } of held) resolve();
    await Promise.all(work);
  });

  test('the question whether the store answers waits for no query', async () => {
    const held = deferred();
    const store = openStore({ folder: '' }, { queryTimeoutMs: 1000, queryMemoryBytes: memoryBytes }, () => rig.connections);
    const work = (['short', 'long', 'large'] as const).flatMap((lane) =>
      Array.from({ length: 20 }, (_, owner) => rig.connections.run(lane, () => held.promise, { owner: `${owner}` })),
    );
    expect(await store.isAlive()).toBe(true);
    held.resolve();
    await Promise.all(work);
  });

  test('a query that needs more memory than its lane has runs again where it has more', async () => {
    const much = 'SELECT length(groupArray(number)) AS n FROM numbers(4000000)';
    for (const lane of ['short', 'long'] as const) expect(await rig.run(much, { lane })).toEqual([{ n: 4_000_000 }]);
  });

  test('a query that gives more bytes than its caller takes is query_too_large, and the next on its connection is not', async () => {
    const text = 'SELECT repeat(toString(number % 10), 1000) AS x FROM numbers(1000)';
    const error = await rig.run(text, { maxResultBytes: 100_000 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'query_too_large', message: expect.stringContaining('a smaller `limit`') as string });
    expect([isOverResult(error), isOverMemory(error)]).toEqual([true, false]);
    expect(await rig.run(text, { maxResultBytes: 2_000_000 })).toHaveLength(1000);
  });
});

describe('several statements', () => {
  const asked: string[] = [];
  const run: RunStatement = (statement) => {
    asked.push(statement.text);
    return rig.run(statement.text);
  };
  const statements = ['SELECT 1 AS n WHERE false', 'SELECT 2 AS n', 'SELECT 3 AS n'].map((text) => ({ text }) as Statement);

  test('run in order until one gives rows', async () => {
    expect(await runUntilRows(run, statements)).toEqual([{ n: 2 }]);
    expect(asked).toEqual(['SELECT 1 AS n WHERE false', 'SELECT 2 AS n']);
  });

  test('give nothing when none of them does', async () => {
    expect(await runUntilRows(run, statements.slice(0, 1))).toEqual([]);
    expect(await runUntilRows(run, [])).toEqual([]);
  });
});

describe('settings', () => {
  test('are the same set for every read of a lane, so that none is left over from another query', async () => {
    const read = (given: RunTextOptions): Promise<readonly { name: string; value: string }[]> =>
      rig.run(
        "SELECT name, value FROM system.settings WHERE changed AND name IN ('max_execution_time', 'max_memory_usage') ORDER BY name",
        given,
      );
    await rig.run('SELECT 1', { lane: 'long', queryTimeoutMs: 1000 });
    const [time, memory] = await read({ lane: 'long', queryTimeoutMs: 7250 });
    expect(Number(time?.value)).toBeGreaterThan(1);
    expect(Number(time?.value)).toBeLessThanOrEqual(7.25);
    // Three connections share three eighths of it.
    expect(memory).toEqual({ name: 'max_memory_usage', value: String(Math.floor((memoryBytes * 3) / 8 / 3)) });
  });

  test('of reads do not reach the writers', async () => {
    const settings = await rig.connections.run('insert', async (client) =>
      (
        await client.query({
          query: "SELECT name FROM system.settings WHERE changed AND name = 'max_execution_time' AND value != '0'",
          format: 'JSONEachRow',
        })
      ).json(),
    );
    expect(settings).toEqual([]);
  });
});
