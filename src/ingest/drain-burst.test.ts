import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CpuShares } from '../platform/cpu-usage.ts';
import { BurstGate } from './batch/burst.ts';
import { type IngestRig, openRig, SpoolRig, until, written } from './testing/ingest-harness.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const burstOf = 7500;
/** However long this machine takes to write them, they come at once. */
const stopped = { now: () => 0, monotonic: () => 0 };
const limits = { maxRows: burstOf, maxBytes: 16 * 1024 * 1024 };

async function write(spool: SpoolRig, count: number): Promise<void> {
  const writer = spool.openWriter();
  for (let index = 0; index < count; index += 1) {
    const stream = writer.newStream();
    spool.writeOpen(writer, stream);
    spool.writeRest(writer, stream, {});
  }
  await written(writer);
}

test('a burst on a machine without an idle core waits in the spool, and is stored when a core is idle again', async () => {
  const spool = new SpoolRig(rig);
  let shares: CpuShares = { idle: 0, own: 0.1 };
  let asked = 0;
  const cpuShares = (): CpuShares => {
    asked += 1;
    return shares;
  };
  // What comes is due once it is a whole burst, and not in pieces.
  const drain = await spool.openDrain({ limits, intervalMs: 60_000, burst: new BurstGate({ maxMs: 60_000, cpuShares, clock: stopped }) });
  drain.start();
  await write(spool, 1);
  await until(() => spool.observations.length > 0);
  await write(spool, burstOf);
  await until(() => asked >= 5);
  expect(drain.waitingCount()).toBe(burstOf);
  expect(spool.observations).toMatchObject([{ requests: 1 }]);

  shares = { idle: 0.9, own: 0.05 };
  await until(() => spool.observations.length > 1);
  expect(spool.observations[1]).toMatchObject({ kind: 'batch_stored', requests: burstOf });
  await drain.stop(0);
});

test('what waits of a burst is stored at once when the service stops', async () => {
  const spool = new SpoolRig(rig);
  await write(spool, burstOf);
  await spool.drainAll({ limits, burst: new BurstGate({ maxMs: 60_000, cpuShares: () => ({ idle: 0, own: 0 }), clock: stopped }) });
  expect((await spool.storedIds()).requests).toHaveLength(burstOf);
});

test('records whose bytes fill a batch do not wait for others', async () => {
  const spool = new SpoolRig(rig);
  const drain = await spool.openDrain({ limits: { maxRows: 1000, maxBytes: 2000 }, intervalMs: 60_000 });
  drain.start();
  await write(spool, 1);
  await until(() => spool.observations.length > 0);
  await write(spool, 20);
  await until(() => spool.observations.length > 1);
  await drain.stop(120_000);
  expect((await spool.storedIds()).requests).toHaveLength(21);
});
