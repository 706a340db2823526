import { afterEach, expect, it } from 'vitest';
import { Dice } from './support/dice.ts';
import { runExport } from './support/export-run.ts';
import { makeDataDir, removeDataDir } from './support/process-tree.ts';

const seed = Number(process.env['GATELOG_TEST_SEED'] ?? Date.now() % 2 ** 31);
const dataDir = makeDataDir();
afterEach(() => removeDataDir(dataDir));

it(`an export goes on after kill -9 of the service and of the command: no record is repeated or missing (seed ${seed})`, async () => {
  const report = await runExport({
    dataDir,
    requests: 30_000,
    made: 15_000,
    words: ['--include-body'],
    serviceKills: 2,
    commandKills: 1,
    maxRunMs: 2500,
    idleMs: 0,
    dice: new Dice(seed),
  });
  expect(report).toMatchObject({ repeated: 0, missing: 0, unknown: 0, unordered: 0, serviceKills: 2, commandKills: 1 });
  expect(report.rows).toBe(30_000 + report.callsExported);
}, 180_000);
