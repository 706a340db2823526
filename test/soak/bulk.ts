/**
 * `npm run soak -- bulk [requests] [--kills n] [--seed n]`: fills a store (100,000 requests by default), orders two bulk changes and the undo of
 * the first, and kills the core or the whole tree this many times (10 by default) while they run and single requests are changed. Every
 * request must have the properties that a model gives it, and each entry of a job must be in the history once. The exit code is 1 when any
 * of this is violated.
 */
import { parseArgs } from 'node:util';
import { runBulk } from '../support/bulk-run.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { killStarted, makeDataDir, removeDataDir } from '../support/process-tree.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, kills: { type: 'string' } },
});
const seed = Number(given.seed ?? Date.now() % 2 ** 31);
const dataDir = makeDataDir();

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  console.error(`seed ${seed}`);
  const run = await runBulk({
    dataDir,
    requests: Number(positionals[0] ?? 100_000),
    kills: Number(given.kills ?? 10),
    maxRunMs: 6000,
    random: new SeededRandom(seed),
    onProgress: (text) => console.error(text),
  });
  for (const { kind, state, total, changed, unchanged, changed_since: since, started_at: startedAt, ended_at: endedAt } of run.jobs) {
    const seconds = ((Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')) / 1000).toFixed(1);
    console.log(
      `${kind}: ${state}, ${total} requests, ${changed} changed, ${unchanged} unchanged, ${since} changed since, ${seconds} s with restarts`,
    );
  }
  for (const id of run.different.slice(0, 5)) console.log(`different: ${id}`);
  console.log(
    `seed ${seed}: ${run.kills} kills, ${run.changes} single changes; ${run.different.length} requests differ, ${run.doubled} entries doubled, ${run.foreign} of another organisation changed`,
  );
  if (run.different.length + run.doubled + run.foreign > 0) process.exitCode = 1;
} finally {
  removeDataDir(dataDir);
}
