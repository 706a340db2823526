import { afterAll, expect, it } from 'vitest';
import { runBulk } from './support/bulk-run.ts';
import { SeededRandom } from './support/seeded-random.ts';
import { makeDataDir, removeDataDir } from './support/process-tree.ts';
import { testSeed } from './support/test-length.ts';

const dataDir = makeDataDir();
afterAll(() => removeDataDir(dataDir));

it('bulk changes and an undo over thousands of requests, with kills of the core and of the whole tree: the store is as the model says', async () => {
  const seed = testSeed();
  process.stdout.write(`bulk, seed ${seed}\n`);
  const { jobs, ...report } = await runBulk({
    dataDir,
    requests: 12_000,
    kills: 4,
    maxRunMs: 1500,
    random: new SeededRandom(seed),
  });
  expect(report).toMatchObject({ different: [], doubled: 0, foreign: 0 });
  const whole = { state: 'done', isWhole: true };
  expect(jobs.map(({ state, total, done }) => ({ state, isWhole: total === done }))).toEqual([whole, whole, whole]);
});
