import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Dice } from './support/dice.ts';
import { type DiskFullOptions, runDiskFull } from './support/disk-full.ts';
import { mountSmallDisk } from './support/disk-room.ts';
import { noFindings } from './support/kill-verdict.ts';
import { makeDataDir, removeDataDir } from './support/process-tree.ts';

const folders = [makeDataDir(), makeDataDir(), makeDataDir()] as const;
const [spoolDataDir, storeDataDir, wholeDataDir] = folders;
const smallDisk = mountSmallDisk(path.join(storeDataDir, 'clickhouse'), 96 * 1024 * 1024);
const smallSpoolDisk = mountSmallDisk(path.join(spoolDataDir, 'spool'), 48 * 1024 * 1024);
const smallWholeDisk = mountSmallDisk(wholeDataDir, 256 * 1024 * 1024);
afterAll(() => {
  smallWholeDisk?.remove();
  smallDisk?.remove();
  smallSpoolDisk?.remove();
  folders.forEach(removeDataDir);
});

function usual(): Pick<DiskFullOptions, 'dice' | 'callsPerSecond' | 'rounds' | 'fullMs'> {
  const seed = Date.now() % 2 ** 31;
  process.stdout.write(`disk full, seed ${seed}\n`);
  return { dice: new Dice(seed), callsPerSecond: 80, rounds: 2, fullMs: 2500 };
}

it.runIf(smallSpoolDisk !== undefined)(
  'without room for the spool model calls go on, exactly the replies without a record say so, and recording goes on by itself, because only an administrator can make a small disk',
  async () => {
    const { verdict, failedCalls, unrecorded, sameProcesses } = await runDiskFull({
      ...usual(),
      dataDir: spoolDataDir,
      roomOf: () => smallSpoolDisk ?? { fill: async () => undefined, free: () => undefined },
    });
    expect({ ...verdict.findings, failedCalls, sameProcesses }).toEqual({ ...noFindings, failedCalls: [], sameProcesses: true });
    expect(unrecorded).toBeGreaterThan(50);
    expect(verdict.replies).toBeGreaterThan(100);
  },
  600_000,
);

it.runIf(smallDisk !== undefined)(
  'without room for the store model calls go on and are all on record; they are stored when there is room again, without a restart, because only an administrator can make a small disk',
  async () => {
    const { verdict, failedCalls, unrecorded, sameProcesses } = await runDiskFull({
      ...usual(),
      dataDir: storeDataDir,
      environment: { GATELOG_STORE_SPARE_BYTES: '32MiB' },
      saidWhileFull: { status: 200, degraded: ['store_full'] },
      roomOf: () => smallDisk ?? { fill: async () => undefined, free: () => undefined },
    });
    expect({ ...verdict.findings, failedCalls, sameProcesses }).toEqual({ ...noFindings, failedCalls: [], sameProcesses: true });
    expect(unrecorded).toBe(0);
  },
  600_000,
);

it.runIf(smallWholeDisk !== undefined)(
  'without room for the whole data folder, with the shared state in it, model calls go on, exactly the replies without a record say so, and all goes on by itself, because only an administrator can make a small disk',
  async () => {
    const { verdict, failedCalls, unrecorded, sameProcesses } = await runDiskFull({
      ...usual(),
      dataDir: wholeDataDir,
      environment: { GATELOG_STORE_SPARE_BYTES: '48MiB' },
      roomOf: () => smallWholeDisk ?? { fill: async () => undefined, free: () => undefined },
    });
    // The metadata database, which has the identifiers that callers chose, has no room either.
    expect({ ...verdict.findings, replacedIds: [], failedCalls, sameProcesses }).toEqual({
      ...noFindings,
      failedCalls: [],
      sameProcesses: true,
    });
    expect(unrecorded).toBeGreaterThan(50);
  },
  600_000,
);
