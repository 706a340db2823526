import { afterAll, expect, it } from 'vitest';
import { Dice } from './support/dice.ts';
import { runKills } from './support/kill-run.ts';
import { noFindings } from './support/kill-verdict.ts';
import { makeDataDir, removeDataDir } from './support/process-tree.ts';

const kills = 4;
const callsPerSecond = 150;
const dataDir = makeDataDir();
afterAll(() => removeDataDir(dataDir));

it(`after ${kills} kills of a worker, the core, the supervisor and the whole tree under load: nothing is lost, nothing is doubled, no acknowledged change is missing`, async () => {
  const seed = Date.now() % 2 ** 31;
  process.stdout.write(`kills, seed ${seed}\n`);
  const { verdict, logs, failedWithoutCore } = await runKills({ kills, dice: new Dice(seed), dataDir, callsPerSecond });
  expect({ ...verdict.findings, failedWithoutCore }).toEqual({ ...noFindings, failedWithoutCore: [] });
  expect(logs).toMatchObject({ lost: [], doubled: [] });
  expect(logs.acknowledged).toBeGreaterThan(50);
  expect(logs.repeated).toBeGreaterThan(10);
  expect(verdict.responses).toBeGreaterThan(200);
  expect(verdict.acknowledgedUpdates).toBeGreaterThan(10);
  expect(verdict.brokenOff).toBeGreaterThan(0);
}, 600_000);
