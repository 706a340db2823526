import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatelogError } from '../model/errors.ts';
import { openCheckpointFile } from '../spool/checkpoint.ts';
import { type IngestRig, makeGate, openRig, SpoolRig, until } from './testing/ingest-harness.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

test('while the ingest is paused the store has exactly what the checkpoint says; then it goes on', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  const first = await spool.write(writer);
  const inserting = makeGate();
  const mayEnd = makeGate();
  const drain = await spool.openDrain({
    insert: async (...row) => {
      inserting.open();
      await mayEnd.passed;
      await rig.store.insert(...row);
    },
  });
  drain.start();
  await inserting.passed;
  // A batch is on its way: the pause begins behind it.
  let begun = false;
  const second = drain.whilePaused(async () => {
    begun = true;
    const id = await spool.write(writer);
    await drain.catchUp();
    expect((await spool.storedIds()).requests).toEqual([first]);
    expect(openCheckpointFile(spool.folder).load().intended).toBeUndefined();
    await expect(drain.whilePaused(async () => undefined, 1000)).rejects.toThrow('paused already');
    expect((await spool.storedIds()).requests).toEqual([first]);
    return id;
  }, 10_000);
  expect(begun).toBe(false);
  mayEnd.open();
  const id = await second;
  await until(async () => (await spool.storedIds()).requests.length === 2);
  expect((await spool.storedIds()).requests).toEqual([first, id].toSorted());
  await drain.stop(10_000);
});

test('a pause that the store does not allow is refused, and holds nothing up afterwards', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  const id = await spool.write(writer);
  let away = true;
  const drain = await spool.openDrain({
    insert: async (...row) => {
      if (away) throw new GatelogError('store_unavailable', 'away');
      await rig.store.insert(...row);
    },
  });
  drain.start();
  await until(() => spool.observations.some(({ kind }) => kind === 'batch_failed'));
  await expect(drain.whilePaused(async () => undefined, 20)).rejects.toThrow('did not come to the end of a batch');
  away = false;
  await until(async () => (await spool.storedIds()).requests.includes(id));
  await drain.stop(10_000);
});

test('a drain that is told to stop does not wait for the end of a pause', async () => {
  const spool = new SpoolRig(rig);
  const drain = await spool.openDrain();
  drain.start();
  const mayEnd = makeGate();
  const held = makeGate();
  const paused = drain.whilePaused(async () => {
    held.open();
    await mayEnd.passed;
  }, 10_000);
  await held.passed;
  await drain.stop(50);
  mayEnd.open();
  expect(await paused).toBeUndefined();
});
