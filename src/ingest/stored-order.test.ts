import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatelogError } from '../model/errors.ts';
import type { RequestId } from '../model/ids.ts';
import { systemClock } from '../platform/clock.ts';
import { openCheckpointFile } from '../spool/checkpoint.ts';
import type { InsertRows } from '../store/insert/insert.ts';
import { StoredOrder } from './batch/stored-order.ts';
import { chatRequest, type IngestRig, newId, openRig, SpoolRig, until } from './testing/ingest-harness.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

interface Numbered {
  readonly id: RequestId;
  readonly number: number;
}

/** The organisation's records in the order of storage. */
async function numbered(spool: SpoolRig): Promise<readonly Numbered[]> {
  return spool.read<Numbered>(
    'SELECT id_text AS id, stored_number AS number FROM requests WHERE org_id = {tenant:UInt128} ORDER BY stored_number, request_id',
  );
}

const idsOf = (rows: readonly Numbered[]): readonly RequestId[] => rows.map(({ id }) => id);

describe('records are numbered in the order in which they are stored', () => {
  test('a call that began earlier and ended later comes later', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const stream = writer.newStream();
    const long = spool.writeOpen(writer, stream, { openedAt: systemClock.now() - 60_000 });
    const short = await spool.write(writer);
    await spool.drainAll();
    spool.writeRest(writer, stream, { request: chatRequest });
    const after = await spool.write(writer);
    await spool.drainAll();
    const rows = await numbered(spool);
    expect(idsOf(rows)).toEqual([short, long, after]);
    expect(new Set(rows.map(({ number }) => number)).size).toBe(3);
  });

  test('in batches of any size, each record with its own number', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const ids: RequestId[] = [];
    for (let count = 0; count < 25; count += 1) ids.push(await spool.write(writer));
    await spool.drainAll({ limits: { maxRows: 4, maxBytes: 1e9 } });
    const rows = await numbered(spool);
    expect(idsOf(rows)).toEqual(ids);
    for (const [index, { number }] of rows.entries()) expect(number).toBeGreaterThan(rows[index - 1]?.number ?? 0);
    expect(openCheckpointFile(spool.folder).load().lastNumber).toBe(rows.at(-1)?.number);
  });

  test('while the clock is set back', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const first = await spool.write(writer);
    await spool.drainAll();
    const second = await spool.write(writer);
    await spool.drainAll({ clock: { ...systemClock, now: () => systemClock.now() - 86_400_000 } });
    const rows = await numbered(spool);
    expect(idsOf(rows)).toEqual([first, second]);
    expect(rows[1]?.number).toBe((rows[0]?.number ?? 0) + 1);
  });

  test('and numbers go on behind those in the store where the checkpoint is gone', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const ahead = { ...systemClock, now: () => systemClock.now() + 86_400_000 };
    const first = await spool.write(writer);
    await spool.drainAll({ clock: ahead });
    rmSync(path.join(spool.folder, 'checkpoint.json'));
    const second = await spool.write(writer);
    await spool.drainAll({ storedOrder: new StoredOrder((await rig.store.latestStoredNumber()) ?? 0) });
    expect(idsOf(await numbered(spool))).toEqual([first, second]);
  });
});

/** A life of the ingest that dies while the store has some part of its batch. */
async function dieAt(spool: SpoolRig, dies: (table: string) => boolean): Promise<void> {
  const insert: InsertRows = async (table, rows, token) => {
    if (dies(table)) throw new GatelogError('store_unavailable', 'away');
    await rig.store.insert(table, rows, token);
  };
  const drain = await spool.openDrain({ insert });
  drain.start();
  await until(() => spool.observations.some(({ kind }) => kind === 'batch_failed'));
  await drain.stop(0);
}

describe('a batch that is repeated after a crash', () => {
  test('has the numbers that it had', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const ids = [await spool.write(writer), await spool.write(writer)];
    await dieAt(spool, (table) => table === 'requests');
    const { intended } = openCheckpointFile(spool.folder).load();
    ids.push(await spool.write(writer));
    const order = new StoredOrder(0);
    await spool.drainAll({ storedOrder: order });
    const rows = await numbered(spool);
    expect(idsOf(rows)).toEqual(ids);
    expect(rows.slice(0, 2).map(({ number }) => number)).toEqual([intended?.firstNumber, (intended?.firstNumber ?? 0) + 1]);
    expect(order.through).toBe(rows[2]?.number);
  });

  test('is numbered then, where an earlier version began it', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const ids = [await spool.write(writer), await spool.write(writer)];
    await dieAt(spool, () => true);
    const file = openCheckpointFile(spool.folder);
    const { intended, lastNumber: _lastNumber, ...earlier } = file.load();
    if (intended === undefined) throw new Error('the batch was not begun');
    file.save({ ...earlier, intended: { batch: intended.batch, series: intended.series } });
    await spool.drainAll();
    const rows = await numbered(spool);
    expect(idsOf(rows)).toEqual(ids);
    expect(rows[0]?.number).toBeGreaterThan(0);
  });
});

describe('who watches', () => {
  test('hears of a batch when all of it is visible, and of the times of its own records', async () => {
    const [spool, other] = [new SpoolRig(rig), new SpoolRig(rig)];
    const order = new StoredOrder(0);
    const heard: unknown[] = [];
    const visible: Promise<readonly Numbered[]>[] = [];
    const end = order.watch(spool.organizationId, (arrivals) => {
      heard.push([order.through, arrivals]);
      visible.push(numbered(spool));
    });
    const writer = spool.openWriter();
    const [early, late] = [1_700_000_000_000, 1_710_000_000_000];
    await spool.write(writer, { open: { openedAt: late } });
    await spool.write(writer, { open: { openedAt: early } });
    await spool.write(writer, { open: { organizationId: other.organizationId, openedAt: 1_600_000_000_000 } });
    await spool.drainAll({ storedOrder: order });
    const [rows] = await Promise.all(visible);
    expect(rows).toHaveLength(2);
    expect(heard).toEqual([[(rows?.at(-1)?.number ?? 0) + 1, { fromMs: early, toMs: late }]]);

    await spool.write(writer, { open: { organizationId: other.organizationId, requestId: newId() } });
    await spool.drainAll({ storedOrder: order });
    expect(heard[1]).toEqual([order.through, undefined]);

    end();
    await spool.write(writer);
    await spool.drainAll({ storedOrder: order });
    expect(heard).toHaveLength(2);
  });

  test('hears nothing of a batch that is not accepted yet', async () => {
    const spool = new SpoolRig(rig);
    const order = new StoredOrder(0);
    const heard: number[] = [];
    order.watch(spool.organizationId, () => heard.push(order.through));
    await spool.write(spool.openWriter());
    const file = openCheckpointFile(spool.folder);
    let saves = 0;
    const drain = await spool.openDrain({
      storedOrder: order,
      checkpoint: {
        load: file.load,
        save: (checkpoint) => {
          saves += 1;
          if (checkpoint.intended === undefined) throw new Error('the process is dead');
          file.save(checkpoint);
        },
      },
    });
    drain.start();
    await until(() => saves > 1);
    await drain.stop(0);
    expect(await numbered(spool)).toHaveLength(1);
    expect([order.through, heard]).toEqual([0, []]);
  });
});
