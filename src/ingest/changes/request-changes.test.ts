import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Change } from '../../model/change.ts';
import { GatelogError } from '../../model/errors.ts';
import type { RequestId } from '../../model/ids.ts';
import { openCheckpointFile } from '../../spool/checkpoint.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import type { InsertRows } from '../../store/insert/insert.ts';
import type { Drain } from '../drain.ts';
import { type IngestRig, makeGate, newId, openRig, SpoolRig, until, written } from '../testing/ingest-harness.ts';
import { openPendingChanges } from './pending.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const properties = (object: Record<string, string>): Change => ({ kind: 'property', values: new Map(Object.entries(object)) });

async function propertiesOf(spool: SpoolRig, id: RequestId): Promise<Readonly<Record<string, string>> | undefined> {
  const rows = (await spool.rows()).filter((row) => row.id === id);
  expect(rows.length).toBeLessThanOrEqual(1);
  return rows[0]?.properties;
}

/** An insert that the test holds back. */
function heldInsert(): { insert: InsertRows; started: () => boolean; release: () => void } {
  const gate = makeGate();
  let started = false;
  return {
    insert: async (table, rows, token) => {
      started = true;
      await gate.passed;
      await rig.store.insert(table, rows, token);
    },
    started: () => started,
    release: gate.open,
  };
}

/** Stores what waits in a life whose checkpoint is then put back to where that life had only intended it. */
async function dieAfterInsert(spool: SpoolRig): Promise<void> {
  const file = openCheckpointFile(spool.folder);
  const drain = await spool.openDrain({
    checkpoint: {
      load: file.load,
      save: (checkpoint) => {
        if (checkpoint.intended === undefined) throw new Error('the process is dead');
        file.save(checkpoint);
      },
    },
  });
  drain.start();
  await until(async () => spool.observations.some(({ kind }) => kind === 'batch_failed'));
  await drain.stop(0);
  expect(file.load().intended).toBeDefined();
}

describe('a change of properties', () => {
  test('of a stored record adds and replaces, and leaves the others', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await spool.write(writer, {
      open: {
        tags: {
          properties: [
            { name: 'Team', value: 'a' },
            { name: 'Keep', value: 'k' },
          ],
        },
      },
    });
    await spool.drainAll();
    const { changer } = await spool.openCore();
    await changer.change(spool.principal, id, properties({ Team: 'b', New: 'n' }));
    expect(await propertiesOf(spool, id)).toEqual({ Team: 'b', Keep: 'k', New: 'n' });
  });

  test('of a exchange in flight goes into its record', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const stream = writer.newStream();
    const id = spool.writeOpen(writer, stream, { tags: { properties: [{ name: 'Team', value: 'a' }] } });
    await written(writer);
    const { drain, changer, pendingChanges } = await spool.openCore();
    drain.start();
    await changer.change(spool.principal, id, properties({ Team: 'b', __proto__x: 'p' }));
    expect(await spool.rows()).toEqual([]);
    spool.writeRest(writer, stream, {});
    await written(writer);
    await drain.stop(10_000);
    expect(await propertiesOf(spool, id)).toEqual({ Team: 'b', __proto__x: 'p' });
    expect(await pendingChanges.listFor([drain.inFlight.find(spool.organizationId, id)].flatMap((found) => found ?? []))).toEqual(
      new Map(),
    );
  });

  test('of a exchange in flight survives the death of the ingest', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await spool.write(writer, { end: null });
    const { changer } = await spool.openCore();
    await changer.change(spool.principal, id, properties({ A: '1' }));
    await spool.killWriter(writer);
    await spool.drainAll();
    expect(await propertiesOf(spool, id)).toEqual({ A: '1' });
  });

  test('that is being written when the exchange ends goes into its record', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const stream = writer.newStream();
    const id = spool.writeOpen(writer, stream);
    await written(writer);
    const gate = makeGate();
    const pendingChanges = await openPendingChanges(rig.database, []);
    const append: typeof pendingChanges.append = async (update) => {
      await gate.passed;
      await pendingChanges.append(update);
    };
    let listed = false;
    const listFor: typeof pendingChanges.listFor = async (exchanges) => {
      listed = true;
      return pendingChanges.listFor(exchanges);
    };
    const { drain, changer } = await spool.openCore({ pendingChanges: { ...pendingChanges, append, listFor } });
    await drain.catchUp();
    const update = changer.change(spool.principal, id, properties({ A: '1' }));
    spool.writeRest(writer, stream, {});
    await written(writer);
    drain.start();
    await until(() => drain.waitingCount() === 1);
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(listed).toBe(false);
    gate.open();
    await update;
    await drain.stop(10_000);
    expect(await propertiesOf(spool, id)).toEqual({ A: '1' });
  });

  test('of a frozen exchange waits for the store and then changes the row', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await spool.write(writer);
    const held = heldInsert();
    const { drain, changer } = await spool.openCore({ insert: held.insert });
    drain.start();
    await until(held.started);
    let done = false;
    const update = changer.change(spool.principal, id, properties({ A: '1' })).then(() => (done = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toBe(false);
    held.release();
    await update;
    expect(await propertiesOf(spool, id)).toEqual({ A: '1' });
    await drain.stop(10_000);
  });

  test('of a frozen exchange that the store does not take in time is refused', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await spool.write(writer);
    const held = heldInsert();
    const { drain, changer } = await spool.openCore({ insert: held.insert });
    Object.assign((changer as unknown as { ports: object }).ports, { storeWaitMs: 20 });
    drain.start();
    await until(held.started);
    await expect(changer.change(spool.principal, id, properties({ A: '1' }))).rejects.toMatchObject({ code: 'store_unavailable' });
    held.release();
    await drain.stop(10_000);
  });

  test('after a restart with a batch in the checkpoint that the store has: goes into the row, not into the dropped insert', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await spool.write(writer);
    const laterId = await spool.write(writer, { end: null });
    await dieAfterInsert(spool);
    const { drain, changer } = await spool.openCore();
    await drain.catchUp();
    expect(drain.inFlight.find(spool.organizationId, id)?.state).toBe('frozen');
    expect(drain.inFlight.find(spool.organizationId, laterId)?.state).toBe('pending');
    const updates = [
      changer.change(spool.principal, id, properties({ A: '1' })),
      changer.change(spool.principal, laterId, properties({ B: '2' })),
    ];
    drain.start();
    await Promise.all(updates);
    await spool.killWriter(writer);
    await until(async () => (await spool.rows()).length === 2);
    await drain.stop(10_000);
    expect(await propertiesOf(spool, id)).toEqual({ A: '1' });
    expect(await propertiesOf(spool, laterId)).toEqual({ B: '2' });
  });

  test('after a restart, before the end of the exchange has been read again', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const stream = writer.newStream();
    const id = spool.writeOpen(writer, stream);
    await written(writer);
    const pinned = await spool.write(writer, { end: null });
    // More than what is read in one go stands between the beginning of the exchange and its end.
    const other = writer.newStream();
    spool.writeOpen(writer, other);
    spool.writeRest(writer, other, { request: Buffer.alloc(6 * 1024 * 1024, ' '), head: null, response: '', end: null });
    spool.writeRest(writer, stream, {});
    await written(writer);
    await dieAfterInsert(spool);
    const { drain, changer } = await spool.openCore();
    const { read } = firstTurnOf(drain);
    read();
    expect(drain.inFlight.find(spool.organizationId, id)?.state).toBe('replaying');
    const update = changer.change(spool.principal, id, properties({ A: '1' }));
    drain.start();
    await update;
    await changer.change(spool.principal, pinned, properties({ B: '2' }));
    await spool.killWriter(writer);
    await until(async () => (await spool.rows()).length === 3);
    await drain.stop(10_000);
    expect(await propertiesOf(spool, id)).toEqual({ A: '1' });
    expect(await propertiesOf(spool, pinned)).toEqual({ B: '2' });
  });

  test('after a restart, of an abandoned exchange that the store has already', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await spool.write(writer, { end: null });
    await spool.killWriter(writer);
    await dieAfterInsert(spool);
    const { drain, changer } = await spool.openCore();
    const { read } = firstTurnOf(drain);
    read();
    const update = changer.change(spool.principal, id, properties({ A: '1' }));
    drain.start();
    await update;
    await drain.stop(10_000);
    expect(await propertiesOf(spool, id)).toEqual({ A: '1' });
  });

  test('of different names at once loses none; of one name the last accepted wins', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const stored = await spool.write(writer);
    await spool.drainAll();
    const stream = writer.newStream();
    const inFlight = spool.writeOpen(writer, stream);
    await written(writer);
    const { drain, changer } = await spool.openCore();
    for (const id of [stored, inFlight]) {
      const names = Array.from({ length: 40 }, (_, index) => `name-${index}`);
      await Promise.all(names.map((name) => changer.change(spool.principal, id, properties({ [name]: name }))));
      for (const value of ['first', 'second', 'last']) await changer.change(spool.principal, id, properties({ Same: value }));
    }
    spool.writeRest(writer, stream, {});
    await written(writer);
    drain.start();
    await drain.stop(10_000);
    for (const id of [stored, inFlight]) {
      const found = await propertiesOf(spool, id);
      expect(Object.keys(found ?? {})).toHaveLength(41);
      expect(found?.['Same']).toBe('last');
    }
  });

  test('of an unknown request, or of another organisation, is not found', async () => {
    const spool = new SpoolRig(rig);
    const other = new SpoolRig(rig);
    const writer = spool.openWriter();
    const stored = await spool.write(writer);
    await spool.drainAll();
    const inFlight = await spool.write(writer, { end: null });
    const { changer } = await spool.openCore();
    await changer.change(spool.principal, inFlight, properties({ A: '1' }));
    for (const id of [newId(), stored, inFlight]) {
      await expect(changer.change(other.principal, id, properties({ A: 'x' }))).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(changer.change(spool.principal, newId(), properties({ A: 'x' }))).rejects.toMatchObject({ code: 'not_found' });
    expect(await propertiesOf(spool, stored)).toEqual({});
  });

  test('changes one of two records that two organisations have under the same identifier', async () => {
    const spool = new SpoolRig(rig);
    const other = new SpoolRig(rig);
    const writer = spool.openWriter();
    const requestId = newId();
    const openedAt = Date.now();
    for (const { organizationId } of [spool, other]) await spool.write(writer, { open: { organizationId, requestId, openedAt } });
    const idInFlight = newId();
    const streams = [spool, other].map(({ organizationId }) => {
      const stream = writer.newStream();
      spool.writeOpen(writer, stream, { organizationId, requestId: idInFlight, openedAt });
      return stream;
    });
    await written(writer);
    await spool.drainAll();
    const { drain, changer } = await spool.openCore();
    await changer.change(spool.principal, requestId, properties({ Mine: '1' }));
    await changer.change(spool.principal, idInFlight, properties({ Mine: '2' }));
    for (const stream of streams) spool.writeRest(writer, stream, {});
    await written(writer);
    drain.start();
    await drain.stop(10_000);
    expect((await spool.rows()).map(({ properties: own }) => own)).toEqual([{ Mine: '1' }, { Mine: '2' }]);
    expect((await other.rows()).map(({ properties: own }) => own)).toEqual([{}, {}]);
  });

  test('of an exchange that ends among the dead letters is kept with it, and a waiting one hears so', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const stream = writer.newStream();
    const id = spool.writeOpen(writer, stream);
    await written(writer);
    let interpreting = false;
    const gate = makeGate();
    const { drain, changer } = await spool.openCore({
      interpret: async (tasks) => {
        interpreting = true;
        await gate.passed;
        return tasks.map(() => ({ failure: 'cannot be read' }));
      },
    });
    await changer.change(spool.principal, id, properties({ A: '1' }));
    spool.writeRest(writer, stream, {});
    await written(writer);
    drain.start();
    await until(() => interpreting);
    const late = changer.change(spool.principal, id, properties({ B: '2' }));
    const outcome = late.catch((error: unknown) => error);
    gate.open();
    expect(await outcome).toMatchObject({ code: 'not_found' });
    await drain.stop(10_000);
    expect(await spool.deadLetters()).toMatchObject([
      { requestId: id, reason: 'cannot be read', changes: [{ change: properties({ A: '1' }), keyId: 'key-1' }] },
    ]);
  });

  test('is found beside others that this process did not write', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const ids = [await spool.write(writer, { end: null }), await spool.write(writer, { end: null })];
    const pendingChanges = await openPendingChanges(rig.database, []);
    const { drain } = await spool.openCore({ pendingChanges });
    await drain.catchUp();
    const [first, second] = ids.map((requestId) => ({
      requestId,
      organizationId: spool.organizationId,
      keyId: 'k',
      acceptedAt: 0,
      number: 1,
    }));
    const exchanges = ids.flatMap((id) => drain.inFlight.find(spool.organizationId, id) ?? []);
    const other = await openPendingChanges(rig.database, []);
    if (first === undefined || second === undefined) throw new Error('two were written');
    await other.append({ ...first, change: properties({ A: '1' }) });
    await pendingChanges.append({ ...second, change: properties({ B: '2' }) });
    await pendingChanges.remove(await pendingChanges.sequencesFor(exchanges.slice(0, 1)));
    expect([...(await pendingChanges.listFor(exchanges)).values()]).toEqual([[{ ...second, change: properties({ B: '2' }) }]]);
    await pendingChanges.remove(await pendingChanges.sequencesFor(exchanges));
    expect((await pendingChanges.listFor(exchanges)).size).toBe(0);
  });

  test('whose write fails changes nothing', async () => {
    const spool = new SpoolRig(rig);
    const writer: SpoolWriter = spool.openWriter();
    const id = await spool.write(writer, { end: null });
    const pendingChanges = await openPendingChanges(rig.database, []);
    const { drain, changer } = await spool.openCore({
      pendingChanges: { ...pendingChanges, append: () => Promise.reject(new GatelogError('metadata_unavailable', 'busy')) },
    });
    await expect(changer.change(spool.principal, id, properties({ A: '1' }))).rejects.toMatchObject({ code: 'metadata_unavailable' });
    await spool.killWriter(writer);
    drain.start();
    await until(async () => (await spool.rows()).length === 1);
    await drain.stop(10_000);
    expect(await propertiesOf(spool, id)).toEqual({});
  });
});

/** Reads what the first round of a drain reads, and no more. */
function firstTurnOf(drain: Drain): { read: () => void } {
  const inner = drain as unknown as { findSeries: () => void; readAhead: () => void };
  return {
    read: () => {
      inner.findSeries();
      inner.readAhead();
    },
  };
}
