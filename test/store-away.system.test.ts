import { afterAll, expect, it } from 'vitest';
import { SeededRandom } from './support/seeded-random.ts';
import { noFindings } from './support/kill-verdict.ts';
import { makeDataDir, removeDataDir } from './support/process-tree.ts';
import { runStoreAway } from './support/store-away.ts';
import { testSeed } from './support/test-length.ts';

const dataDir = makeDataDir();
afterAll(() => removeDataDir(dataDir));

it('while the store refuses, is slow or loses its answers no model call fails; once it is back every record and change is there, once', async () => {
  const seed = testSeed();
  process.stdout.write(`store away, seed ${seed}\n`);
  const options = {
    dataDir,
    random: new SeededRandom(seed),
    callsPerSecond: 60,
    warmMs: 1500,
    awayMs: 10_000,
    slowMs: 1500,
  };
  const { verdict, failedCalls, logs, failedLogs } = await runStoreAway(options);
  expect({ ...verdict.findings, failedCalls, failedLogs }).toEqual({ ...noFindings, failedCalls: [], failedLogs: [] });
  expect(logs).toMatchObject({ lost: [], doubled: [] });
  expect(logs.repeated).toBeGreaterThan(10);
  expect(verdict.responses).toBeGreaterThan(200);
  expect(verdict.acknowledgedUpdates).toBeGreaterThan(5);
});
