import { afterAll, beforeAll, expect, it } from 'vitest';
import { frameKinds } from '../model/record/exchange.ts';
import { Meter } from '../platform/metrics/meter.ts';
import { exposition } from '../platform/metrics/exposition.ts';
import { systemClock } from '../platform/clock.ts';
import { openCheckpointFile } from '../spool/checkpoint.ts';
import { type IngestRig, openRig, SpoolRig, until, written } from './testing/ingest-harness.ts';
import { ingestFamilies, readDrain } from './metrics.ts';

let rig: IngestRig;

beforeAll(async () => {
  rig = await openRig();
});

afterAll(async () => {
  await rig.close();
});

it('what waits has an age, from the end of its exchange on, also where the ingest was not there', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  const now = systemClock.now();
  await spool.write(writer, { open: { openedAt: now - 600_000 }, end: { elapsedMs: 540_000 } });
  await spool.write(writer, { open: { openedAt: now - 5000 }, end: { elapsedMs: 1000 } });
  await spool.write(writer, { open: { openedAt: now - 900_000 }, end: null });
  const drain = await spool.openDrain();
  expect(drain.oldestWaitingMs(now)).toBe(0);
  await drain.catchUp();
  expect(drain.oldestWaitingMs(now)).toBe(60_000);

  const meter = new Meter(ingestFamilies);
  readDrain(meter, drain, now);
  const page = exposition([{ process: 'core', families: ingestFamilies, cells: meter.cells }]);
  expect(page).toContain('gatelog_spool_exchanges_waiting{process="core"} 2\n');
  expect(page).toContain('gatelog_spool_oldest_waiting_seconds{process="core"} 60\n');
  expect(page).toContain('gatelog_spool_exchanges_open{process="core"} 3\n');
  expect(page).toContain('gatelog_ingest_draining{process="core"} 1\n');
  drain.start();
  await drain.stop(10_000);
  expect(drain.oldestWaitingMs(now)).toBe(0);
});

it('what waits and does not say when it began has no age', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  const now = systemClock.now();
  const stream = writer.newStream();
  writer.append(stream, frameKinds.open, 'garbage');
  spool.writeRest(writer, stream, {});
  await written(writer);
  const drain = await spool.openDrain();
  await drain.catchUp();
  expect([drain.waitingCount(), drain.oldestWaitingMs(now)]).toEqual([1, 0]);
  await spool.write(writer, { open: { openedAt: now - 5000 }, end: { elapsedMs: 1000 } });
  await drain.catchUp();
  expect([drain.waitingCount(), drain.oldestWaitingMs(now)]).toEqual([2, 4000]);
  await drain.stop(0);
});

it('a record that becomes visible says how long that took; a batch that comes to no end is no draining', async () => {
  const spool = new SpoolRig(rig);
  const now = systemClock.now();
  await spool.write(spool.openWriter(), { open: { openedAt: now - 5000 }, end: { elapsedMs: 1000 } });
  let ahead = 0;
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const delays: number[] = [];
  let inserting = false;
  const drain = await spool.openDrain({
    clock: { now: systemClock.now, monotonic: () => systemClock.monotonic() + ahead },
    onVisible: (delayMs) => delays.push(delayMs),
    insert: async (...given) => {
      inserting = true;
      await held;
      return rig.store.insert(...given);
    },
  });
  drain.start();
  await until(() => inserting);
  expect(drain.isDraining()).toBe(true);
  ahead = 60_000;
  expect(drain.isDraining()).toBe(false);
  release?.();
  await until(() => drain.isDraining());
  await drain.stop(10_000);
  expect(delays).toHaveLength(1);
  expect(delays[0]).toBeGreaterThanOrEqual(4000);
});

it('a series that is gone leaves the checkpoint, also where it ended while a batch of another was on its way', async () => {
  const spool = new SpoolRig(rig);
  const [first, second] = [spool.openWriter(), spool.openWriter()];
  await spool.write(first);
  await spool.drainAll();
  // More than is read in one turn, so that the batch has to be waited for.
  const ids = await Promise.all(Array.from({ length: 6 }, () => spool.write(second, { request: 'x'.repeat(1024 * 1024) })));
  const drain = await spool.openDrain({
    insert: async () => {
      throw new Error('the store is away');
    },
  });
  drain.start();
  await until(() => openCheckpointFile(spool.folder).load().intended !== undefined);
  await drain.stop(0);
  await spool.killWriter(first);
  await spool.drainAll();
  expect((await spool.storedIds()).requests).toEqual(expect.arrayContaining(ids) as unknown);
  expect(Object.keys(openCheckpointFile(spool.folder).load().accepted)).toEqual([second.series]);
});

it('what a crash left of a series in the checkpoint goes with the next batch', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  openCheckpointFile(spool.folder).save({ lastBatch: 7, accepted: { gone: { segment: 3, offset: 4711 } } });
  await spool.write(writer);
  await spool.drainAll();
  expect(openCheckpointFile(spool.folder).load()).toMatchObject({ lastBatch: 8, accepted: { [writer.series]: { segment: 1 } } });
  expect(Object.keys(openCheckpointFile(spool.folder).load().accepted)).toEqual([writer.series]);
});

it('others have their turns between the dead letters of one batch', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  for (let count = 0; count < 20; count += 1) await spool.write(writer, { open: { openedAt: -1.5 } });
  let turns = 0;
  let counting = setImmediate(function count() {
    turns += 1;
    counting = setImmediate(count);
  });
  const letters: number[] = [];
  await spool.drainAll({ deadLetters: { keep: () => letters.push(turns) } });
  clearImmediate(counting);
  expect([letters.length, new Set(letters).size]).toEqual([20, 20]);
});
