import { afterEach, expect, it } from 'vitest';
import { SeededRandom } from './support/seeded-random.ts';
import { runMove } from './support/move-run.ts';
import { makeDataDir, removeDataDir } from './support/process-tree.ts';
import { testSeed } from './support/test-length.ts';

const seed = testSeed();
const kills = 2;
const dataDir = makeDataDir();
afterEach(() => removeDataDir(dataDir));

it(`a store of before is moved while it is killed: no answer differs and no call is lost (seed ${seed})`, async () => {
  const run = await runMove({ dataDir, requests: 20_000, queries: 30, kills, maxRunMs: 1500, random: new SeededRandom(seed) });
  expect(run).toMatchObject({ different: [], lost: [], kills, left: 0 });
  expect(run.compared).toBeGreaterThan(30);
  expect(run.bytes.after).toBeLessThan(run.bytes.before);
  expect(run.bytes.peak).toBeLessThan(2 * run.bytes.before);
});
