/**
 * `npm run soak -- move [requests] [--kills n] [--queries n] [--seed n]`: fills a store of the schema of before (300,000 requests by default),
 * starts the service over it, and kills the whole tree this many times (5 by default) while it moves the bodies to their new order, takes
 * calls, and answers queries (200 by default). Every answer must be the one that the records have, every answered call must be on record,
 * and nothing may be left in the old table. The exit code is 1 when any of this is violated.
 */
import { parseArgs } from 'node:util';
import { SeededRandom } from '../support/seeded-random.ts';
import { runMove } from '../support/move-run.ts';
import { killStarted, makeDataDir, removeDataDir } from '../support/process-tree.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, kills: { type: 'string' }, queries: { type: 'string' } },
});
const seed = Number(given.seed ?? Date.now() % 2 ** 31);
const dataDir = makeDataDir();
const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  console.error(`seed ${seed}`);
  const run = await runMove({
    dataDir,
    requests: Number(positionals[0] ?? 300_000),
    queries: Number(given.queries ?? 200),
    kills: Number(given.kills ?? 5),
    maxRunMs: 15_000,
    random: new SeededRandom(seed),
    onProgress: (text) => console.error(text),
  });
  for (const query of run.different.slice(0, 5)) console.log(`different: ${query}`);
  console.log(
    `seed ${seed}: moved in ${(run.movedMs / 1000).toFixed(1)} s with ${run.kills} kills, ${run.left} rows left in the old table`,
  );
  console.log(`${run.compared} answers compared, ${run.different.length} different; ${run.calls} calls answered, ${run.lost.length} lost`);
  console.log(`store ${mib(run.bytes.before)} MiB before, ${mib(run.bytes.peak)} at most, ${mib(run.bytes.after)} afterwards`);
  if (run.different.length > 0 || run.lost.length > 0 || run.left > 0) process.exitCode = 1;
} finally {
  removeDataDir(dataDir);
}
