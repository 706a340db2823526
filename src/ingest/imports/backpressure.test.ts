import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ImportLine } from '../../model/record/import.ts';
import type { Principal } from '../../model/principal.ts';
import type { PreparedSeries, UnsplitFrame } from '../../spool/import-series.ts';
import { ExchangeIndex } from '../series/exchange.ts';
import { makeGate, newId, until } from '../testing/ingest-harness.ts';
import { type ImportPorts, Imports } from './imports.ts';
import { fieldsOfLine } from './read-item.ts';

const owner: Principal = { organizationId: newId(), keyId: 'key', keyHash: 'a'.repeat(64), permissions: 'rw' };

/** Ports of a spool and a store that have nothing. */
function portsWith(given: Partial<ImportPorts>): ImportPorts {
  return {
    catchUp: () => Promise.resolve(),
    inFlight: new ExchangeIndex(),
    findStored: () => Promise.resolve(new Set()),
    isErasing: () => false,
    expiresBefore: () => Promise.resolve(-Infinity),
    waiting: () => ({ exchanges: 0, bytes: 0 }),
    hasWaitingOf: () => false,
    readLarge: (_organizationId, line) => Promise.resolve(fieldsOfLine(line)),
    nextNumber: () => 1,
    prepareSeries: () => Promise.resolve({ publish: () => undefined, discard: () => undefined }),
    now: () => Date.UTC(2026, 5, 1),
    monotonic: () => performance.now(),
    ...given,
  };
}

function lineOf(extra: object = {}): ImportLine {
  const item = { request_id: newId(), request_created_at: '2026-01-31T12:00:00.000Z', ...extra };
  return { number: 1, bytes: Buffer.from(JSON.stringify(item)) };
}

test.each([
  ['records', { exchanges: 10_000, bytes: 0 }],
  ['bytes', { exchanges: 1, bytes: 64 * 1024 * 1024 }],
])('an import waits while many %s are on their way, and is refused in the end', async (_what, full) => {
  let waiting = full;
  const published: string[] = [];
  const prepareSeries = (series: string, _frames: readonly UnsplitFrame[]): Promise<PreparedSeries> =>
    Promise.resolve({ publish: () => published.push(series), discard: () => undefined });
  const imports = new Imports(portsWith({ waiting: () => waiting, prepareSeries }));
  const taken = imports.take(owner, [lineOf()], false);
  await nextTick();
  expect(published).toEqual([]);
  waiting = { exchanges: 0, bytes: 0 };
  expect(await taken).toMatchObject({ imported: 1 });
  expect(published).toHaveLength(1);
  let now = 0;
  const late = new Imports(portsWith({ waiting: () => full, monotonic: () => (now += 15_000) }));
  await expect(late.take(owner, [lineOf()], false)).rejects.toMatchObject({ code: 'service_busy', retryAfterSeconds: 2 });
});

test('a very long line waits while a record as large is on its way, and is refused in the end', async () => {
  const asked: number[] = [];
  let isThere = true;
  const hasWaitingOf = (bytes: number): boolean => {
    asked.push(bytes);
    return isThere;
  };
  let fits = false;
  const waiting = new Imports(portsWith({ hasWaitingOf })).whenLongLineFits().then(() => (fits = true));
  await until(() => asked.length > 1);
  expect([fits, asked[0]]).toEqual([false, 14 * 1024 * 1024]);
  isThere = false;
  await waiting;
  let now = 0;
  const late = new Imports(portsWith({ hasWaitingOf: () => true, monotonic: () => (now += 15_000) }));
  await expect(late.whenLongLineFits()).rejects.toMatchObject({ code: 'service_busy', retryAfterSeconds: 2 });
});

test('a large line goes into the spool in frames that the spool can hold', async () => {
  const frames: UnsplitFrame[] = [];
  const prepareSeries = (_series: string, given: readonly UnsplitFrame[]): Promise<PreparedSeries> => {
    frames.push(...given);
    return Promise.resolve({ publish: () => undefined, discard: () => undefined });
  };
  const imports = new Imports(portsWith({ prepareSeries }));
  const large = lineOf({ request_body: 'x'.repeat(3 * 1024 * 1024) });
  expect(await imports.take(owner, [large], false)).toMatchObject({ imported: 1 });
  expect(frames.map(({ payload }) => payload.length).every((length) => length <= 1024 * 1024)).toBe(true);
  const whole = Buffer.concat(frames.slice(1, -1).map(({ payload }) => payload));
  expect(whole.equals(large.bytes)).toBe(true);
});

test('an import that the disk has no room for is refused as a whole, and can be sent again', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
  const imports = new Imports(portsWith({ prepareSeries: () => Promise.reject(full) }));
  await expect(imports.take(owner, [lineOf()], false)).rejects.toMatchObject({ code: 'store_unavailable', retryAfterSeconds: 2 });
});

test('lines of one organisation are taken in the order of their calls, and those of another do not wait', async () => {
  const gate = makeGate();
  const order: string[] = [];
  const findStored: ImportPorts['findStored'] = async (organizationId) => {
    order.push(organizationId);
    if (organizationId === owner.organizationId) await gate.passed;
    return new Set();
  };
  const imports = new Imports(portsWith({ findStored }));
  const other: Principal = { ...owner, organizationId: newId() };
  const [same, again] = [lineOf(), lineOf()];
  const first = imports.take(owner, [same], false);
  const second = imports.take(owner, [again], false);
  expect(await imports.take(other, [lineOf()], false)).toMatchObject({ imported: 1 });
  await until(() => order.length === 2);
  expect(order.filter((id) => id === owner.organizationId)).toHaveLength(1);
  gate.open();
  expect([await first, await second]).toMatchObject([{ imported: 1 }, { imported: 1 }]);
});

test('a long line is read beside the event loop, and its faults are those of any line', async () => {
  const read: number[] = [];
  const readLarge = (_organizationId: string, line: Buffer) => {
    read.push(line.length);
    return Promise.resolve().then(() => fieldsOfLine(line));
  };
  const imports = new Imports(portsWith({ readLarge }));
  const long = 'x'.repeat(200_000);
  const lines = [lineOf({ request_body: { a: long } }), lineOf(), { number: 3, bytes: Buffer.from(`{"a":"${long}"}`) }];
  const { imported, refused } = await imports.take(owner, lines, false);
  expect([imported, refused.map(({ line, field }) => [line, field])]).toEqual([2, [[3, 'request_id']]]);
  expect(read).toEqual([lines[0]?.bytes.length, lines[2]?.bytes.length]);
});
