import { afterAll, expect, it } from 'vitest';
import { Dice } from './support/dice.ts';
import { runDiskFull } from './support/disk-full.ts';
import { roomOfProcess } from './support/disk-room.ts';
import { noFindings } from './support/kill-verdict.ts';
import { childrenNamed, makeDataDir, removeDataDir } from './support/process-tree.ts';

const folders: string[] = [];
afterAll(() => folders.forEach(removeDataDir));

function options(role: 'gateway' | 'core'): Parameters<typeof runDiskFull>[0] {
  const dataDir = makeDataDir();
  folders.push(dataDir);
  const seed = Date.now() % 2 ** 31;
  process.stdout.write(`disk full, seed ${seed}\n`);
  return {
    dataDir,
    dice: new Dice(seed),
    callsPerSecond: 80,
    rounds: 2,
    fullMs: 2000,
    roomOf: ({ pid }) => roomOfProcess(childrenNamed(pid, role)[0] ?? 0),
  };
}

it('without room for the spool model calls go on, exactly the replies without a record say so, and recording goes on by itself', async () => {
  const { verdict, failedCalls, unrecorded, sameProcesses } = await runDiskFull(options('gateway'));
  expect({ ...verdict.findings, failedCalls, sameProcesses }).toEqual({ ...noFindings, failedCalls: [], sameProcesses: true });
  expect(unrecorded).toBeGreaterThan(50);
  expect(verdict.replies).toBeGreaterThan(100);
}, 600_000);

it('without room for the store model calls go on and are all on record; they are stored when there is room again, without a restart', async () => {
  const { verdict, failedCalls, unrecorded, sameProcesses } = await runDiskFull(options('core'));
  expect({ ...verdict.findings, failedCalls, sameProcesses }).toEqual({ ...noFindings, failedCalls: [], sameProcesses: true });
  expect(unrecorded).toBe(0);
}, 600_000);
