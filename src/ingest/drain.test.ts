import { existsSync } from 'node:fs';
import path from 'node:path';
import { open } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { GatelogError } from '../model/errors.ts';
import { systemClock } from '../platform/clock.ts';
import { openCheckpointFile } from '../spool/checkpoint.ts';
import type { InsertRows } from '../store/insert/insert.ts';
import { type ExchangeSketch, type IngestRig, makeGate, openRig, SpoolRig, until, written } from './testing/ingest-harness.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

describe('segments', () => {
  test('are deleted once every exchange in them is stored; a long-open one pins its own and all later ones', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter(4096);
    const pinned = writer.newStream();
    for (let index = 0; index < 8; index += 1) await spool.write(writer);
    await spool.drainAll();
    expect(spool.segments()[writer.series]).toHaveLength(1);
    const pinnedId = spool.writeOpen(writer, pinned);
    await written(writer);
    const [pin] = (spool.segments()[writer.series] ?? []).toReversed();
    for (let index = 0; index < 8; index += 1) await spool.write(writer);
    await spool.drainAll();
    const held = spool.segments()[writer.series] ?? [];
    expect(held.length).toBeGreaterThan(1);
    expect(held[0]).toBe(pin);
    spool.writeRest(writer, pinned, {});
    await written(writer);
    await spool.drainAll();
    const after = spool.segments()[writer.series] ?? [];
    expect(after).toEqual([held.at(-1)]);
    const { requests } = await spool.storedIds();
    expect(requests).toHaveLength(17);
    expect(requests).toContain(pinnedId);
  });

  test('stay while the store is away', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter(4096);
    for (let index = 0; index < 8; index += 1) await spool.write(writer);
    const before = spool.segments();
    const drain = await spool.openDrain({ insert: () => Promise.reject(new GatelogError('store_unavailable', 'away')) });
    drain.start();
    await until(() => spool.observations.length > 0);
    await drain.stop(0);
    expect(spool.segments()).toEqual(before);
    expect(drain.waitingCount()).toBe(8);
  });

  test('of a series go when its writer is gone and all is stored, and so does its place in the checkpoint', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    await spool.write(writer);
    await spool.drainAll();
    expect(Object.keys(openCheckpointFile(spool.folder).load().accepted)).toEqual([writer.series]);
    expect(existsSync(path.join(spool.folder, writer.series))).toBe(true);
    await spool.killWriter(writer);
    await spool.drainAll();
    expect(existsSync(path.join(spool.folder, writer.series))).toBe(false);
    expect(openCheckpointFile(spool.folder).load().accepted).toEqual({});
  });
});

test('the memory of rows is given back once the store has all of them, and not before', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  for (let index = 0; index < 3; index += 1) await spool.write(writer);
  const course: string[] = [];
  let isAway = true;
  const insert: InsertRows = async (table, rows, token) => {
    course.push(table);
    if (table === 'requests' && isAway) {
      isAway = false;
      throw new GatelogError('store_unavailable', 'away');
    }
    await rig.store.insert(table, rows, token);
  };
  await spool.drainAll({ insert, release: (interpreted) => course.push(`${interpreted.length} given back`) });
  expect(course).toEqual(['bodies', 'requests', 'requests', '3 given back']);
});

const refuse: InsertRows = () => Promise.reject(new GatelogError('store_unavailable', 'away'));

test('the memory of rows is given back as well where the batch is not stored, and where there was no memory for all of them', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  for (let index = 0; index < 2; index += 1) await spool.write(writer);
  const given: number[] = [];
  const release = (interpreted: readonly unknown[]): number => given.push(interpreted.length);
  const away = await spool.openDrain({ insert: refuse, release });
  away.start();
  await until(() => spool.observations.some(({ kind }) => kind === 'batch_failed'));
  await away.stop(0);
  await until(() => given.length === 1);
  const short = await spool.openDrain({ interpret: async (tasks) => tasks.map(() => ({ shortage: 'no memory' })), release });
  short.start();
  await until(() => given.length > 1);
  await short.stop(0);
  expect(given.slice(0, 2)).toEqual([2, 2]);
});

describe('an exchange whose worker died before its end', () => {
  const stream = { 'content-type': 'text/event-stream' };
  const chunk = 'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n';
  const json = { 'content-type': 'application/json' };
  const cases: readonly (readonly [string, ExchangeSketch, number])[] = [
    ['before a head', { head: null, response: '' }, 0],
    ['after the head', { response: '', head: {} }, 502],
    ['in the middle of a stream', { head: { headers: stream }, response: chunk }, 502],
    ['after the end of a stream', { head: { headers: stream }, response: `${chunk}data: [DONE]\n\n` }, 200],
    ['with the declared length', { head: { status: 429, headers: { ...json, 'content-length': '2' } }, response: '{}' }, 429],
    ['short of the declared length', { head: { headers: { ...json, 'content-length': '3' } }, response: '{}' }, 502],
    ['with JSON that is closed, of no declared length', { head: { headers: json } }, 200],
    ['with JSON that is not closed', { head: { headers: json }, response: '{"id":' }, 502],
    ['after a head that has no body', { head: { status: 204, headers: {} }, response: '' }, 204],
  ];
  test.each(cases)('%s', async (_, preview, status) => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await spool.write(writer, { ...preview, end: null });
    await spool.killWriter(writer);
    await spool.drainAll();
    expect(await spool.rows()).toMatchObject([{ id, status }]);
    expect(spool.observations).toContainEqual({ kind: 'spool_series_finished', series: writer.series, abandoned: 1 });
  });

  test('is still open while its worker lives', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    await spool.write(writer, { end: null });
    await spool.drainAll();
    expect(await spool.rows()).toEqual([]);
  });
});

describe('while the store is away', () => {
  test('the drain tries again, loses nothing, and says how it stands', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await spool.write(writer);
    let away = true;
    let now = 0;
    const insert: InsertRows = (table, rows, token) =>
      away ? Promise.reject(new GatelogError('store_unavailable', 'away')) : rig.store.insert(table, rows, token);
    const drain = await spool.openDrain({ insert, clock: { now: systemClock.now, monotonic: () => now } });
    expect(drain.isDraining()).toBe(true);
    drain.start();
    await until(() => spool.observations.some(({ kind }) => kind === 'batch_failed'));
    expect(drain.isDraining()).toBe(true);
    now = 5000;
    expect(drain.isDraining()).toBe(false);
    away = false;
    await until(() => drain.isDraining());
    await drain.stop(10_000);
    expect((await spool.storedIds()).requests).toEqual([id]);
  });

  test('no more is kept in memory for callers than may be, and they are told to try again', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const ids = [await spool.write(writer), await spool.write(writer)];
    const drain = await spool.openDrain({ maxKnown: 20 });
    await drain.catchUp();
    await expect(drain.catchUp()).rejects.toMatchObject({ code: 'store_unavailable' });
    drain.start();
    await until(() => drain.inFlight.size === 0);
    await drain.catchUp();
    await drain.stop(10_000);
    expect((await spool.storedIds()).requests).toHaveLength(ids.length);
  });

  test('a failure without a batch is over with the next round', async () => {
    const spool = new SpoolRig(rig);
    let now = 0;
    const drain = await spool.openDrain({ clock: { now: systemClock.now, monotonic: () => now } });
    const inner = drain as unknown as { findSeries: () => void };
    const findSeries = inner.findSeries.bind(drain);
    inner.findSeries = () => {
      inner.findSeries = findSeries;
      throw new Error('EMFILE');
    };
    drain.start();
    await until(() => spool.observations.some(({ kind }) => kind === 'batch_failed'));
    now = 5000;
    await until(() => drain.isDraining());
    await drain.stop(10_000);
    expect(spool.observations).toHaveLength(1);
  });

  test('it can be stopped in time, also in the middle of an insert that does not return', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await spool.write(writer);
    let inserting = false;
    const gate = makeGate();
    const insert: InsertRows = async (table) => {
      if (table === 'bodies') return;
      inserting = true;
      await gate.passed;
    };
    const drain = await spool.openDrain({ insert });
    drain.start();
    await until(() => inserting);
    const before = openCheckpointFile(spool.folder).load();
    await drain.stop(20);
    gate.open();
    await new Promise((resolve) => setImmediate(resolve));
    // The insert that ended afterwards did not touch what belongs to the next ingest now.
    expect(openCheckpointFile(spool.folder).load()).toEqual(before);
    await spool.drainAll();
    expect((await spool.storedIds()).requests).toEqual([id]);
  });
});

describe('what is inserted', () => {
  test('is on the disk of the spool before, so that a power loss cannot take the end of what the store has', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter(4096);
    for (let index = 0; index < 8; index += 1) await spool.write(writer);
    const segments = spool.segments()[writer.series] ?? [];
    const anyFile = await open(path.join(spool.folder, 'id'), 'a+');
    const datasync = vi.spyOn(Object.getPrototypeOf(anyFile) as typeof anyFile, 'datasync');
    await anyFile.close();
    let synced = 0;
    const insert: InsertRows = async (table, rows, token) => {
      synced = Math.max(synced, datasync.mock.calls.length);
      await rig.store.insert(table, rows, token);
    };
    await spool.drainAll({ insert });
    expect(synced).toBe(segments.length);
  });
});

describe('the drain', () => {
  test('gives the event loop its turn while it reads much', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const stream = writer.newStream();
    spool.writeOpen(writer, stream);
    spool.writeRest(writer, stream, { request: Buffer.alloc(24 * 1024 * 1024, ' '), head: null, response: '', end: null });
    await written(writer);
    const drain = await spool.openDrain();
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const reading = drain.catchUp();
    await reading;
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
    await drain.stop(0);
  });

  test('leaves what it cannot store yet on the disk', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    for (let index = 0; index < 200; index += 1) await spool.write(writer, { request: ' '.repeat(64 * 1024) });
    const drain = await spool.openDrain({
      limits: { maxRows: 5, maxBytes: 1e9 },
      insert: () => Promise.reject(new GatelogError('store_unavailable', 'away')),
    });
    drain.start();
    await until(() => spool.observations.length > 0);
    expect(drain.waitingCount()).toBeLessThan(200);
    await drain.stop(0);
  });

  test('stores nothing twice of a series that another life had begun', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const ids: string[] = [];
    for (let life = 0; life < 4; life += 1) {
      ids.push(await spool.write(writer), await spool.write(writer));
      await spool.drainAll();
    }
    expect((await spool.storedIds()).requests).toEqual(ids.toSorted());
  });
});
