import { afterAll, expect, it } from 'vitest';
import { SeededRandom } from './support/seeded-random.ts';
import { makeDataDir, removeDataDir } from './support/process-tree.ts';
import { runWebhookKills } from './support/webhooks/webhook-run.ts';
import { testSeed } from './support/test-length.ts';

const kills = 4;
const callsPerSecond = 60;
const dataDir = makeDataDir();
afterAll(() => removeDataDir(dataDir));

it(`after ${kills} kills of the core, the supervisor and the whole tree: every stored request and every acknowledged change was announced, each under one identifier`, async () => {
  const seed = testSeed();
  process.stdout.write(`webhook kills, seed ${seed}\n`);
  const { findings, records, changes, sampled } = await runWebhookKills({ kills, random: new SeededRandom(seed), dataDir, callsPerSecond });
  expect(findings).toEqual({ missing: [], doubled: [], missingChanges: [], wronglyChosen: [], faults: [] });
  expect(records).toBeGreaterThan(100);
  expect(changes).toBeGreaterThan(10);
  expect(sampled).toBeGreaterThan(1);
});
