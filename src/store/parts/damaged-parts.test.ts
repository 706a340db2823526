import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deleteRows } from '../../sql/commands.ts';
import { type Fragment, sql } from '../../sql/sql.ts';
import { type CompiledSql, compileFor, type Statement } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { openConnections } from '../engine/open-connections.ts';
import type { DamagedPart } from './damaged-parts.ts';
import { failureText } from '../engine/failure.ts';
import { removalSettings, removeRows } from './remove-rows.ts';
import { makeEmptyStore } from '../testing/empty-store.ts';
import { makeInsertLines, memoryBytes, requestLine, tenant } from '../testing/store-harness.ts';
import { openStore, type Store } from '../store.ts';

/** Noon of the first days of three months, Unix seconds: each has a part of its own. */
const months = { november: 1_698_840_000, december: 1_701_432_000, january: 1_704_110_400 } as const;
type Month = keyof typeof months;
const rowsOfPart = 50;

let folder: string;
let connections: Connections;
let store: Store;
let heard: DamagedPart[];

async function open(): Promise<void> {
  heard = [];
  const options = { queryTimeoutMs: 30_000, queryMemoryBytes: memoryBytes, onDamage: (part: DamagedPart) => heard.push(part) };
  store = openStore({ folder: path.join(folder, 'store') }, options, (...given) => (connections = openConnections(...given)));
  await store.migrate(() => undefined);
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-damage-'));
  await makeEmptyStore(path.join(folder, 'store'));
  await open();
  for (const [month, at] of Object.entries(months)) await insert(month, at);
});

/** The engine opens another folder once nothing runs in this one. */
async function close(): Promise<void> {
  await vi.waitFor(() => expect(connections.lanes().filter(({ busy }) => busy > 0)).toEqual([]), { timeout: 10_000 });
  await store.close();
}

afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

async function insert(name: string, seconds: number): Promise<void> {
  const lines = Array.from({ length: rowsOfPart }, () => requestLine({ path: name, created_at: `${seconds}.5` }).line);
  await makeInsertLines(connections)('requests', lines.join('\n'), `${name}-${seconds}`);
}

async function update(name: string): Promise<void> {
  const query = `UPDATE requests SET referrer = 'changed' WHERE path = '${name}'`;
  await connections.run('update', (client) => client.command({ query }));
}

async function rowsOf<Row>(text: string): Promise<readonly Row[]> {
  return store.run<Row>({ text, params: {}, tenant, lane: 'long' } as unknown as Statement);
}

const where = (month: Month): string => `toYYYYMM(created_at) = toYYYYMM(fromUnixTimestamp(${months[month]}))`;
/** Reads every column, as a page of requests does. */
const readMonth = (month: Month): Promise<readonly unknown[]> => rowsOf(`SELECT * FROM requests WHERE ${where(month)}`);
const readAll = (): Promise<readonly unknown[]> => rowsOf('SELECT * FROM requests');

async function partOf(month: Month): Promise<{ readonly part: string; readonly folder: string }> {
  const [row] = await rowsOf<{ part: string; folder: string }>(
    `SELECT name AS part, path AS folder FROM system.parts WHERE table = 'requests' AND active AND partition_id = toString(toYYYYMM(fromUnixTimestamp(${months[month]}))) AND NOT startsWith(name, 'patch-')`,
  );
  if (row === undefined) throw new Error(`no part of ${month}`);
  return row;
}

/** Flips one bit of a file, in its middle when nothing else is said. */
function flipBit(file: string, at = Math.floor(statSync(file).size / 2)): void {
  const descriptor = openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, at);
  writeSync(descriptor, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at);
  closeSync(descriptor);
}

/** Flips a bit in each of the file's blocks. */
function flipBits(file: string): void {
  for (let at = 0; at < statSync(file).size; at += 8) flipBit(file, at);
}

async function damage(month: Month): Promise<string> {
  const { part, folder: partFolder } = await partOf(month);
  flipBit(path.join(partFolder, 'data.bin'));
  return part;
}

const removal = (condition: Fragment): CompiledSql =>
  compileFor(tenant, deleteRows(requests(condition), { by: 'rewriting', settings: removalSettings }));

describe('a bit that has flipped in a file of the store', () => {
  test('fails what reads it with a code of its own that names no path, and nothing else', async () => {
    const part = await damage('december');
    const failure = await readMonth('december').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'store_damaged', status: 500, message: expect.not.stringContaining('/') as string });
    expect(failureText(failure)).toMatch(new RegExp(`\\(engine error \\d+, part ${part}\\)$`));
    expect(await readMonth('november')).toHaveLength(rowsOfPart);
    expect(await readMonth('january')).toHaveLength(rowsOfPart);
  });

  test('is told of once, with the part, its table and how many rows it holds', async () => {
    const part = await damage('december');
    for (let times = 0; times < 3; times += 1) await expect(readAll()).rejects.toMatchObject({ code: 'store_damaged' });
    await store.damage.refresh();
    expect(heard).toEqual([{ table: 'requests', part, rows: rowsOfPart, isLost: false }]);
    expect(store.damage.parts()).toEqual(heard);
  });

  test('is found by a check before anybody has read it', async () => {
    const part = await damage('december');
    const whole = await partOf('november');
    expect(await store.checkPart('requests', part)).toEqual({ outcome: 'damaged', reason: 'engine error 40' });
    expect(heard).toEqual([{ table: 'requests', part, rows: rowsOfPart, isLost: false }]);
    expect(await store.checkPart('requests', whole.part)).toEqual({ outcome: 'whole' });
    expect(await store.checkPart('requests', '190001_1_1_0')).toEqual({ outcome: 'gone' });
    await expect(store.checkPart('schema_migrations', 'all_1_1_0')).rejects.toMatchObject({ code: 'not_found' });
    await expect(store.checkPart('requests', "x' FORMAT Null --")).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is out of the way once its part is set aside, which keeps the files', async () => {
    const part = await damage('december');
    await expect(readAll()).rejects.toMatchObject({ code: 'store_damaged' });
    const aside = await store.setAside?.('requests', part);
    expect(await readAll()).toHaveLength(2 * rowsOfPart);
    expect(store.damage.parts()).toEqual([]);
    expect(existsSync(path.join(aside?.folder ?? '', 'data.bin'))).toBe(true);
    await expect(store.setAside?.('requests', part)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('stops removals of its rows and tells of itself, until its part is set aside', async () => {
    const part = await damage('december');
    const parts = { connections, signal: new AbortController().signal };
    await expect(removeRows(parts, 'requests', removal(sql`path = 'december' AND request_id % 2 = 0`))).rejects.toMatchObject({
      code: 'store_damaged',
    });
    await store.damage.refresh();
    expect(heard).toMatchObject([{ table: 'requests', part }]);
    await store.setAside?.('requests', part);
    await removeRows(parts, 'requests', removal(sql`path = 'none'`));
    expect(await readAll()).toHaveLength(2 * rowsOfPart);
  });

  test('is out of the way also where changes are pending in its month, and what is asked meanwhile is answered', async () => {
    await insert('second', months.december + 60);
    const { part } = await partOf('december');
    await update('december');
    await update('second');
    await damage('december');
    await expect(readMonth('december')).rejects.toMatchObject({ code: 'store_damaged' });
    const asked = Promise.all(Array.from({ length: 20 }, () => readMonth('november')));
    await store.setAside?.('requests', part);
    expect((await asked).map((rows) => rows.length)).toEqual(Array.from({ length: 20 }, () => rowsOfPart));
    const left = await rowsOf(`SELECT DISTINCT path, referrer FROM requests WHERE ${where('december')}`);
    expect(left).toEqual([{ path: 'second', referrer: 'changed' }]);
    await update('second');
    await insert('third', months.december + 120);
    expect(await readAll()).toHaveLength(4 * rowsOfPart);
    expect(store.damage.parts()).toEqual([]);
  });
});

test('changes whose own file is damaged are set aside, and their rows are as they were before', async () => {
  await update('december');
  const [patch] = await rowsOf<{ part: string; folder: string }>(
    "SELECT name AS part, path AS folder FROM system.parts WHERE table = 'requests' AND active AND startsWith(name, 'patch-')",
  );
  flipBits(path.join(patch?.folder ?? '', 'data.bin'));
  await expect(readMonth('december')).rejects.toMatchObject({ code: 'store_damaged' });
  await store.setAside?.('requests', patch?.part ?? '');
  expect(await rowsOf(`SELECT DISTINCT referrer FROM requests WHERE ${where('december')}`)).toEqual([{ referrer: '' }]);
  await update('december');
  expect(await rowsOf(`SELECT DISTINCT referrer FROM requests WHERE ${where('december')}`)).toEqual([{ referrer: 'changed' }]);
});

test('a part that is whole is not set aside', async () => {
  const { part } = await partOf('november');
  await expect(store.setAside?.('requests', part)).rejects.toMatchObject({ code: 'invalid_parameter' });
  expect(await readAll()).toHaveLength(3 * rowsOfPart);
});

test('a part that the engine cannot load when it starts is told of at every start, until somebody has taken note', async () => {
  const { part, folder: partFolder } = await partOf('december');
  await close();
  truncateSync(path.join(partFolder, 'data.bin'), 10);
  const name = `broken-on-start_${part}`;
  for (let starts = 0; starts < 2; starts += 1) {
    await open();
    await store.damage.refresh();
    expect(heard).toEqual([{ table: 'requests', part: name, rows: rowsOfPart, isLost: true }]);
    expect(await readAll()).toHaveLength(2 * rowsOfPart);
    if (starts === 0) await close();
  }
  const aside = await store.setAside?.('requests', name);
  expect(path.basename(aside?.folder ?? '')).toBe(part);
  expect(store.damage.parts()).toEqual([]);
  await expect(store.setAside?.('requests', name)).rejects.toMatchObject({ code: 'not_found' });
});

describe('what a start reads goes by the times of parts where a file is damaged', () => {
  test('the latest arrival', async () => {
    expect(await store.latestArrival(0)).toBe(months.january * 1000 + 500);
    const { folder: partFolder } = await partOf('january');
    flipBits(path.join(partFolder, 'data.bin'));
    expect(await store.latestArrival(0)).toBe((months.january + 1) * 1000);
    expect(await store.latestArrival(months.january * 1000 + 10_000)).toBe(0);
  });

  test('the number of the latest change', async () => {
    const acceptedAt = Date.now();
    const number = acceptedAt * 1000;
    await store.setSessionTag({ organizationId: tenant, sessionId: 's', keyId: 'k', tag: 't', acceptedAt, number });
    expect(await store.latestChangeNumber()).toBe(number);
    const [tags] = await rowsOf<{ folder: string }>("SELECT path AS folder FROM system.parts WHERE table = 'session_tags' AND active");
    flipBits(path.join(tags?.folder ?? '', 'data.bin'));
    const latest = await store.latestChangeNumber();
    expect(latest).toBeGreaterThanOrEqual(number);
    expect(latest).toBeLessThan(number + 60_000_000);
  });
});
