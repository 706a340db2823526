import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeptFiles, type KeptStatement } from './kept-files.ts';

const minute = 60_000;
const keepMs = 10 * minute;
let folder: string;
let now: number;
let dropped: number[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-kept-'));
  now = Date.now();
  dropped = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (maxBytes = 1e9): KeptFiles =>
  new KeptFiles({ folder, keepMs, maxBytes, now: () => now, onDropped: (bytes) => dropped.push(bytes) });
const statement = (query: string) => ({ query, headers: { a: 'b' }, settings: { async_insert: 0 } }) as const;
const keep = (files: KeptFiles, query: string, ...pieces: string[]): Promise<void> =>
  files.append(
    statement(query),
    pieces.map((piece) => Buffer.from(piece)),
  );
const allOf = async (files: KeptFiles): Promise<readonly KeptStatement[]> =>
  (await Readable.from(files.statements()).toArray()) as readonly KeptStatement[];
const queriesOf = async (files: KeptFiles): Promise<readonly string[]> => (await allOf(files)).map(({ query }) => query);

test('statements come as they were, in their order, also to the next process', async () => {
  const files = open();
  await keep(files, 'one', 'a', 'bc');
  await keep(files, 'two');
  const expected = [
    { ...statement('one'), body: Buffer.from('abc') },
    { ...statement('two'), body: Buffer.alloc(0) },
  ];
  expect(await allOf(files)).toEqual(expected);
  await files.close();
  expect(await allOf(open())).toEqual(expected);
});

test('each is kept for its time, and its file goes later', async () => {
  const files = open();
  await keep(files, 'old');
  now += 9 * minute;
  await keep(files, 'young');
  expect(await queriesOf(files)).toEqual(['old', 'young']);
  now += 2 * minute;
  expect(await queriesOf(files)).toEqual(['young']);
  await keep(files, 'new');
  expect(readdirSync(folder)).toHaveLength(2);
  now += 11 * minute;
  await files.removeOld();
  expect(readdirSync(folder)).toEqual([]);
  await keep(files, 'newest');
  expect(await queriesOf(files)).toEqual(['newest']);
  await files.close();
});

test('one that is acknowledged while they are read comes too', async () => {
  const files = open();
  await keep(files, 'first');
  const read: string[] = [];
  for await (const { query } of files.statements()) {
    read.push(query);
    if (query === 'first') await keep(files, 'meanwhile');
  }
  expect(read).toEqual(['first', 'meanwhile']);
  await files.close();
});

test('beyond the room the oldest go, and it is said', async () => {
  const files = open(1500);
  for (let count = 0; count < 4; count += 1) {
    await keep(files, `statement ${count}`, 'x'.repeat(500));
    now += 2 * minute;
  }
  expect(await queriesOf(files)).toEqual(['statement 2', 'statement 3']);
  expect(dropped).toEqual([expect.any(Number), expect.any(Number)]);
  await files.close();
});

test('one that the end of a process has cut is left out, and others go on behind it', async () => {
  const files = open();
  await keep(files, 'whole', 'abc');
  await files.close();
  const [name = ''] = readdirSync(folder);
  appendFileSync(path.join(folder, name), Buffer.from([200, 0, 0, 0, 123, 34]));
  const next = open();
  expect(await queriesOf(next)).toEqual(['whole']);
  await keep(next, 'next');
  expect(await queriesOf(next)).toEqual(['whole', 'next']);
  await next.close();
});

test('a clock that was set back changes no order', async () => {
  const files = open();
  await keep(files, 'first');
  now -= 5 * minute;
  await files.close();
  const next = open();
  await keep(next, 'second');
  expect(await queriesOf(next)).toEqual(['first', 'second']);
  await next.close();
});
