import { afterAll, expect, it } from 'vitest';
import { SeededRandom } from './support/seeded-random.ts';
import { runKills } from './support/kill-run.ts';
import { noFindings } from './support/kill-verdict.ts';
import { makeDataDir, removeDataDir } from './support/process-tree.ts';
import { byLength, testSeed } from './support/test-length.ts';

const kills = byLength(4, 12);
const callsPerSecond = byLength(30, 150);
const dataDir = makeDataDir();
afterAll(() => removeDataDir(dataDir));

it(`after ${kills} kills of a worker, the core, the supervisor and the whole tree under load: nothing is lost, nothing is doubled, no acknowledged change is missing`, async () => {
  const seed = testSeed();
  process.stdout.write(`kills, seed ${seed}\n`);
  const { verdict, logs, failedWithoutCore } = await runKills({ kills, random: new SeededRandom(seed), dataDir, callsPerSecond });
  expect({ ...verdict.findings, failedWithoutCore }).toEqual({ ...noFindings, failedWithoutCore: [] });
  expect(logs).toMatchObject({ lost: [], doubled: [] });
  expect(logs.acknowledged).toBeGreaterThan(50);
  expect(logs.repeated).toBeGreaterThan(10);
  // How many depends on how soon a killed tree is back.
  expect(verdict.responses).toBeGreaterThan(byLength(100, 200));
  expect(verdict.acknowledgedUpdates).toBeGreaterThan(10);
  // Of few calls it may be that none had a head and no end.
  expect(verdict.brokenOff).toBeGreaterThanOrEqual(byLength(0, 1));
});
