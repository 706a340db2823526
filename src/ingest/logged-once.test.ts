import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveRequestId } from '../gateway/record/request-ids.ts';
import { GatelogError } from '../model/errors.ts';
import { systemClock } from '../platform/clock.ts';
import { openCheckpointFile } from '../spool/checkpoint.ts';
import type { SpoolWriter } from '../spool/writer.ts';
import type { InsertRows } from '../store/insert/insert.ts';
import { type IngestRig, interpretDirectly, openRig, SpoolRig, until, written } from './testing/ingest-harness.ts';
import { chosenId, loggedCall, loggerTo, logOne } from './testing/logged-calls.ts';
import type { TestPorts } from './testing/spent-rows.ts';
import { byLength } from '../../test/support/test-length.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

/** Whose record it is, by the status that its sender told. */
async function recordsOf(spool: SpoolRig): Promise<Record<string, number[]>> {
  const records: Record<string, number[]> = {};
  for (const { id, status } of await spool.rows()) (records[id] ??= []).push(status);
  return records;
}

/** Without a checkpoint the ingest asks the store for everything. */
async function withCheckpoint(spool: SpoolRig): Promise<SpoolWriter> {
  const writer = spool.openWriter();
  await spool.write(writer);
  await spool.drainAll();
  return writer;
}

type Table = Parameters<InsertRows>[0];

/** An insert that fails at a table, from then on for all, as a store that goes away. @param stores the failed insert took place. */
function awayAt(table: Table, stores: boolean): { insert: InsertRows; readonly failed: () => boolean } {
  let isAway = false;
  const insert: InsertRows = async (into, rows, token) => {
    if (!isAway && (into !== table || stores)) await rig.store.insert(into, rows, token);
    isAway ||= into === table;
    if (isAway) throw new GatelogError('store_unavailable', 'away');
  };
  return { insert, failed: () => isAway };
}

/** A life of the ingest that dies at a table of its first batch. */
async function dieAt(spool: SpoolRig, table: Table, stores: boolean, given: TestPorts = {}): Promise<void> {
  const away = awayAt(table, stores);
  const drain = await spool.openDrain({ insert: away.insert, ...given });
  drain.start();
  await until(away.failed);
  await drain.stop(0);
}

const deaths = (['bodies', 'requests'] as const).flatMap((table) =>
  [false, true].map((stores) => [`${stores ? 'after' : 'before'} the insert into ${table}`, table, stores] as const),
);

describe('a logged call whose organisation has its identifier is left out', () => {
  it('when it was logged before and is stored', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await logOne(spool, writer, chosenId(), 201);
    await spool.drainAll();
    await logOne(spool, writer, id, 202);
    await spool.drainAll();
    expect(await recordsOf(spool)).toEqual({ [id]: [201] });
    expect(await spool.storedIds()).toEqual({ requests: [id], bodies: [id] });
  });

  it('when it was logged twice in one batch, by one worker or two', async () => {
    const spool = new SpoolRig(rig);
    const [first, second] = [spool.openWriter(), spool.openWriter()];
    const id = await logOne(spool, first, chosenId(), 201);
    await logOne(spool, first, id, 202);
    await logOne(spool, second, id, 203);
    await spool.drainAll();
    expect((await spool.storedIds()).bodies).toEqual([id]);
    expect(Object.keys(await recordsOf(spool))).toEqual([id]);
  });

  it('when a call through the gateway has it, also one that is still open', async () => {
    const spool = new SpoolRig(rig);
    const [gateway, logs] = [spool.openWriter(), spool.openWriter()];
    const stream = gateway.newStream();
    const id = spool.writeOpen(gateway, stream, { requestId: chosenId() });
    await written(gateway);
    await logOne(spool, logs, id, 201);
    await spool.drainAll();
    expect(await recordsOf(spool)).toEqual({});
    spool.writeRest(gateway, stream, { head: { status: 200 } });
    await written(gateway);
    await spool.drainAll();
    expect(await recordsOf(spool)).toEqual({ [id]: [200] });
  });

  it('when a call through the gateway has it that nobody has read yet', async () => {
    const spool = new SpoolRig(rig);
    const [gateway, logs] = [spool.openWriter(), spool.openWriter()];
    const id = chosenId();
    let isCalled = false;
    await logOne(spool, logs, id, 201);
    await spool.drainAll({
      interpret: async (tasks, storedAt) => {
        // Its first frame is in the spool before its caller knows the identifier.
        if (!isCalled) spool.writeOpen(gateway, gateway.newStream(), { requestId: id });
        isCalled = true;
        await written(gateway);
        return interpretDirectly(tasks, storedAt);
      },
    });
    expect(await recordsOf(spool)).toEqual({});
  });

  it('when the call through the gateway comes behind it in the batch', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await logOne(spool, writer, chosenId(), 201);
    await spool.write(writer, { open: { requestId: id } });
    await spool.drainAll();
    expect(await recordsOf(spool)).toEqual({ [id]: [200] });
  });

  it('and is found by the time in an identifier of ours', async () => {
    const spool = new SpoolRig(rig);
    const writer = await withCheckpoint(spool);
    const startedAt = systemClock.now() - 5000;
    const id = deriveRequestId(spool.organizationId, startedAt, 'trace/span');
    expect(id).toBe(deriveRequestId(spool.organizationId, startedAt, 'trace/span'));
    const asked: (number | undefined)[] = [];
    for (const status of [201, 202]) {
      await loggerTo(writer)(spool.principal, [loggedCall({ requestId: id, startedAt, status })]);
      await spool.drainAll({
        findRows: (table, records) => {
          asked.push(...records.map(({ foundAt }) => foundAt));
          return rig.store.findRows(table, records);
        },
      });
    }
    expect((await recordsOf(spool))[id]).toEqual([201]);
    expect(asked).toEqual([startedAt, startedAt]);
  });

  it('but one of another organisation is not in its way', async () => {
    const [mine, others] = [new SpoolRig(rig), new SpoolRig(rig)];
    const id = chosenId();
    await logOne(mine, mine.openWriter(), id, 201);
    await logOne(others, others.openWriter(), id, 202);
    await mine.drainAll();
    await others.drainAll();
    expect([await recordsOf(mine), await recordsOf(others)]).toEqual([{ [id]: [201] }, { [id]: [202] }]);
  });

  it('and a fresh one asks the store nothing', async () => {
    const spool = new SpoolRig(rig);
    await logOne(spool, await withCheckpoint(spool), undefined);
    let asked = 0;
    await spool.drainAll({
      findRows: async () => {
        asked += 1;
        return new Set();
      },
    });
    expect(asked).toBe(0);
  });
});

describe('a batch with logged calls decides the same when it is repeated', () => {
  it.each(deaths)('of a call that is new, after a death %s', async (_when, table, stores) => {
    const spool = new SpoolRig(rig);
    const id = await logOne(spool, spool.openWriter(), chosenId(), 201);
    await dieAt(spool, table, stores);
    await spool.drainAll();
    expect(await recordsOf(spool)).toEqual({ [id]: [201] });
    expect(await spool.storedIds()).toEqual({ requests: [id], bodies: [id] });
  });

  it.each(deaths)('of a repetition beside others, after a death %s', async (_when, table, stores) => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await logOne(spool, writer, chosenId(), 201);
    await spool.drainAll();
    await logOne(spool, writer, id, 202);
    const fresh = await logOne(spool, writer, chosenId(), 203);
    const called = await spool.write(writer);
    await dieAt(spool, table, stores);
    expect(openCheckpointFile(spool.folder).load().intended?.leftOut).toEqual([0]);
    await spool.drainAll();
    expect(await recordsOf(spool)).toEqual({ [id]: [201], [fresh]: [203], [called]: [200] });
    const ids = [id, fresh, called].toSorted();
    expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
  });

  it.each(deaths)('although a call with the identifier is in flight by then, after a death %s', async (_when, table, stores) => {
    const spool = new SpoolRig(rig);
    const id = await logOne(spool, spool.openWriter(), chosenId(), 201);
    await dieAt(spool, table, stores);
    await logOne(spool, spool.openWriter(), id, 202);
    await spool.drainAll();
    expect(await recordsOf(spool)).toEqual({ [id]: [201] });
    expect(await spool.storedIds()).toEqual({ requests: [id], bodies: [id] });
  });

  it.each(deaths)('of one that was logged twice in the batch, after a death %s', async (_when, table, stores) => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await logOne(spool, writer, chosenId(), 201);
    await logOne(spool, writer, id, 202);
    await dieAt(spool, table, stores);
    await spool.drainAll();
    expect(await recordsOf(spool)).toEqual({ [id]: [201] });
    expect(await spool.storedIds()).toEqual({ requests: [id], bodies: [id] });
  });

  it('also where the checkpoint is lost', async () => {
    const spool = new SpoolRig(rig);
    const id = await logOne(spool, spool.openWriter(), chosenId(), 201);
    await dieAt(spool, 'requests', true);
    const lost = { load: () => ({ lastBatch: 0, accepted: {} }), save: () => undefined };
    await spool.drainAll({ checkpoint: lost });
    expect(await recordsOf(spool)).toEqual({ [id]: [201] });
    expect(await spool.storedIds()).toEqual({ requests: [id], bodies: [id] });
  });

  it('whatever was logged and called, and wherever it died (seed 7)', { timeout: 600_000 }, async () => {
    const identifiers = Array.from({ length: 4 }, chosenId);
    const step = fc.record({ id: fc.nat(3), worker: fc.nat(1), dies: fc.option(fc.nat(3), { freq: 2 }), drains: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const spool = new SpoolRig(rig);
        const writers = [spool.openWriter(), spool.openWriter()] as const;
        for (const { id, worker, dies, drains } of steps) {
          await logOne(spool, writers[worker as 0 | 1], identifiers[id]);
          const death = dies === null ? undefined : deaths[dies];
          if (death !== undefined && (await hasWaiting(spool))) await dieAt(spool, death[1], death[2]).catch(() => undefined);
          if (drains) await spool.drainAll();
        }
        await spool.drainAll();
        const ids = [...new Set(steps.map(({ id }) => identifiers[id] as string))].toSorted();
        expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
        await Promise.all(writers.map((writer) => spool.killWriter(writer)));
      }),
      { seed: 7, numRuns: byLength(5, 25) },
    );
  });
});

/** Whether a batch would store something, which a life that dies at an insert waits for. */
async function hasWaiting(spool: SpoolRig): Promise<boolean> {
  const drain = await spool.openDrain();
  await drain.catchUp();
  const ids = drain.inFlight.all().map(({ requestId }) => requestId);
  const stored = new Set((await spool.storedIds()).requests);
  await drain.stop(0);
  return ids.some((id) => !stored.has(id));
}
