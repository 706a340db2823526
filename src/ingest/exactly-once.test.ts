import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatelogError } from '../model/errors.ts';
import type { RequestId } from '../model/ids.ts';
import type { Spend } from '../model/record/spend.ts';
import type { SpendCounters } from './spend-counters.ts';
import { type Checkpoint, type CheckpointFile, openCheckpointFile } from '../spool/checkpoint.ts';
import type { InsertRows } from '../store/insert/insert.ts';
import { type IngestRig, openRig, SpoolRig, until } from './testing/ingest-harness.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

/** A checkpoint file that dies at the save of an accepted batch, as the process would. */
function dyingAtAccept(folder: string): CheckpointFile & { deaths: number } {
  const file = openCheckpointFile(folder);
  const dying = {
    deaths: 0,
    load: file.load,
    save: (checkpoint: Checkpoint): void => {
      if (checkpoint.lastBatch > file.load().lastBatch) {
        dying.deaths += 1;
        throw new Error('the process is dead');
      }
      file.save(checkpoint);
    },
  };
  return dying;
}

/** A checkpoint file on a disk that is full for a while: at a save of an accepted batch, and of the one after it. */
function fullAtAccept(folder: string, saves: number): CheckpointFile & { refused: number } {
  const file = openCheckpointFile(folder);
  const full = {
    refused: 0,
    load: file.load,
    save: (checkpoint: Checkpoint): void => {
      if (checkpoint.intended === undefined && full.refused < saves) {
        full.refused += 1;
        throw new Error('ENOSPC: no space left on device');
      }
      file.save(checkpoint);
    },
  };
  return full;
}

type NoteSpend = SpendCounters['count'];

const awayStore: InsertRows = () => Promise.reject(new GatelogError('store_unavailable', 'away'));

async function writeSome(spool: SpoolRig, count: number): Promise<RequestId[]> {
  const writer = spool.openWriter();
  const ids: RequestId[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await spool.write(writer));
  return ids.toSorted();
}

/** A life of the ingest that inserts and dies before it has written that down. */
async function dieAfterInsert(
  spool: SpoolRig,
  limits = { maxRows: 1000, maxBytes: 1e9 },
  noteSpend: NoteSpend = () => undefined,
): Promise<void> {
  const checkpoint = dyingAtAccept(spool.folder);
  const drain = await spool.openDrain({ checkpoint, limits, spendCounters: { count: noteSpend } });
  drain.start();
  await until(() => checkpoint.deaths > 0);
  await drain.stop(0);
}

describe('each exchange is stored exactly once', () => {
  test('without a crash', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 25);
    await spool.drainAll({ limits: { maxRows: 10, maxBytes: 1e9 } });
    expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
  });

  test('when the ingest dies between the insert and its checkpoint', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 5);
    await dieAfterInsert(spool);
    expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
    const firstRows = await spool.rows();
    await until(() => Date.now() > Date.parse(`${firstRows[0]?.updated_at.replace(' ', 'T')}Z`));
    await spool.drainAll();
    expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
    // The repeated rows would have another `updated_at`: the first ones stay.
    expect(await spool.rows()).toEqual(firstRows);
  });

  test('when the disk of the spool is full once the store has a batch, and calls come in meanwhile', async () => {
    const spool = new SpoolRig(rig);
    const checkpoint = fullAtAccept(spool.folder, 2);
    // It begins with an empty spool, so that it has no reason to look for what the store may have already.
    const drain = await spool.openDrain({ checkpoint });
    drain.start();
    const writer = spool.openWriter();
    const ids = [await spool.write(writer), await spool.write(writer)];
    await until(() => checkpoint.refused === 1);
    ids.push(await spool.write(writer));
    await until(() => checkpoint.refused === 2);
    ids.push(await spool.write(writer));
    await drain.stop(5000);
    expect(await spool.storedIds()).toEqual({ requests: ids.toSorted(), bodies: ids.toSorted() });
  });

  test('and counted once: by the life that has written down that it is stored', async () => {
    const spool = new SpoolRig(rig);
    await writeSome(spool, 5);
    const counted: string[] = [];
    const noteSpend = (organizationId: string, { model, outputTokens }: Spend): void =>
      void counted.push(`${organizationId === spool.organizationId} ${model} ${outputTokens}`);
    await dieAfterInsert(spool, undefined, noteSpend);
    expect(counted).toEqual([]);
    let refusals = 3;
    const unsteady: InsertRows = async (...given) => {
      await rig.store.insert(...given);
      if (refusals-- > 0) throw new GatelogError('store_unavailable', 'the answer was lost');
    };
    await spool.drainAll({ insert: unsteady, spendCounters: { count: noteSpend } });
    expect(counted).toHaveLength(5);
    expect(new Set(counted).size).toBe(1);
    await spool.drainAll({ spendCounters: { count: noteSpend } });
    expect(counted).toHaveLength(5);
  });

  test('by its token alone, while what the life before has inserted cannot be seen yet', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 5);
    await dieAfterInsert(spool);
    await spool.drainAll({ findRows: async () => new Set() });
    expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
  });

  test('when more has ended by the time the batch is repeated', async () => {
    const spool = new SpoolRig(rig);
    const first = await writeSome(spool, 3);
    await dieAfterInsert(spool);
    const all = [...first, ...(await writeSome(spool, 4))].toSorted();
    await spool.drainAll();
    expect(await spool.storedIds()).toEqual({ requests: all, bodies: all });
  });

  test('when it dies several times, with batches smaller than what waits', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 7);
    for (let life = 0; life < 3; life += 1) await dieAfterInsert(spool, { maxRows: 2, maxBytes: 1e9 });
    await spool.drainAll({ limits: { maxRows: 3, maxBytes: 1e9 } });
    expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
  });

  test('when it dies before the insert', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 4);
    const drain = await spool.openDrain({ insert: awayStore });
    drain.start();
    await until(() => spool.observations.some(({ kind }) => kind === 'batch_failed'));
    await drain.stop(0);
    expect(openCheckpointFile(spool.folder).load().intended).toBeDefined();
    expect(await spool.storedIds()).toEqual({ requests: [], bodies: [] });
    await spool.drainAll();
    expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
  });

  test('when it dies between the two tables', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 4);
    const insert: InsertRows = (table, rows, token) =>
      table === 'bodies' ? rig.store.insert(table, rows, token) : awayStore(table, rows, token);
    const drain = await spool.openDrain({ insert });
    drain.start();
    await until(() => spool.observations.some(({ kind }) => kind === 'batch_failed'));
    await drain.stop(0);
    expect(await spool.storedIds()).toEqual({ requests: [], bodies: ids });
    await spool.drainAll();
    expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
  });

  test('when it dies after the checkpoint and before the segments are deleted', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const ids = [await spool.write(writer), await spool.write(writer)].toSorted();
    const abandoned = await spool.write(writer, { end: null });
    await spool.killWriter(writer);
    const series = path.join(spool.folder, writer.series);
    cpSync(series, path.join(rig.folder, 'kept'), { recursive: true });
    const drain = await spool.openDrain();
    // The checkpoint that stands when the process dies still has the entry of the series.
    const file = openCheckpointFile(spool.folder);
    drain.start();
    await drain.stop(10_000);
    expect(spool.segments()).toEqual({});
    const end = { segment: 2 ** 40, offset: 3 };
    file.save({ lastBatch: file.load().lastBatch, accepted: { [writer.series]: end } });
    cpSync(path.join(rig.folder, 'kept'), series, { recursive: true });
    rmSync(path.join(rig.folder, 'kept'), { recursive: true });
    await spool.drainAll();
    const all = [...ids, abandoned].toSorted();
    expect(await spool.storedIds()).toEqual({ requests: all, bodies: all });
    expect(spool.segments()).toEqual({});
  });

  test('when what follows the checkpoint fails', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 4);
    let failures = 0;
    const pendingChanges = {
      appendAll: async () => undefined,
      appendMissing: async () => undefined,
      latestNumber: async () => 0,
      sessionsOf: async () => new Map(),
      append: () => Promise.resolve(),
      listFor: () => Promise.resolve(new Map()),
      sequencesFor: () => Promise.resolve([7]),
      remove: () => (failures++ === 0 ? Promise.reject(new Error('the database is busy')) : Promise.resolve()),
    };
    await spool.drainAll({ pendingChanges });
    expect(spool.observations).toContainEqual({ kind: 'pending_changes_kept', changes: 1, reason: 'the database is busy' });
    expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
  });

  test('when a batch reaches over the end of a month', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const months = [Date.UTC(2026, 0, 31, 23, 59, 59, 999), Date.UTC(2026, 1, 1), Date.UTC(2026, 2, 1)];
    const ids: RequestId[] = [];
    for (const openedAt of months) ids.push(await spool.write(writer, { open: { openedAt } }));
    await dieAfterInsert(spool);
    await spool.drainAll();
    expect(await spool.storedIds()).toEqual({ requests: ids.toSorted(), bodies: ids.toSorted() });
  });

  test('with several workers, of which one is much busier than a batch', async () => {
    const spool = new SpoolRig(rig);
    const ids = [...(await writeSome(spool, 12)), ...(await writeSome(spool, 2)), ...(await writeSome(spool, 1))].toSorted();
    await dieAfterInsert(spool, { maxRows: 5, maxBytes: 1e9 });
    await spool.drainAll({ limits: { maxRows: 5, maxBytes: 1e9 } });
    expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
  });

  test('when the checkpoint is lost: a new batch is not taken for an old one', async () => {
    const spool = new SpoolRig(rig);
    const first = await writeSome(spool, 2);
    await spool.drainAll();
    rmSync(path.join(spool.folder, 'checkpoint.json'));
    rmSync(path.join(spool.folder, 'series-0001'), { recursive: true });
    const second = await writeSome(spool, 2);
    await spool.drainAll();
    expect((await spool.storedIds()).requests).toEqual([...first, ...second].toSorted());
  });
});
