/**
 * `npm run soak -- store-copy [requests] [--kills n] [--queries n] [--rate n] [--seed n]`: moves a store of this many requests (300,000 by
 * default) with `gatelog store copy --switch` to ClickHouse servers (an engine behind the HTTP interface of a server) and back to the data
 * folder, while calls (30 a second by default) and changes go on, and kills the core or the whole tree this many times (3 by default) each
 * way. After each way the figures of all days must be those of the former store, and the answers of 200 seeded queries, with bodies, those
 * that it gave at the start; no answered call and no acknowledged change may be lost. The exit code is 1 when any of this is violated.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { countFindings, listsOf } from '../support/kill-verdict.ts';
import { killStarted, makeDataDir, removeDataDir } from '../support/process-tree.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { runStoreCopy } from '../support/store-copy-run.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, kills: { type: 'string' }, queries: { type: 'string' }, rate: { type: 'string' } },
});
const seed = Number(given.seed ?? Date.now() % 2 ** 31);
const parent = makeDataDir();
const serverFolder = path.join(parent, 'servers');
for (const folder of [serverFolder, path.join(parent, 'data')]) mkdirSync(folder);

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  console.error(`seed ${seed}`);
  const { ways, compared, differentQueries, verdict } = await runStoreCopy({
    dataDir: path.join(parent, 'data'),
    serverFolder,
    requests: Number(positionals[0] ?? 300_000),
    queries: Number(given.queries ?? 200),
    killsEachWay: Number(given.kills ?? 3),
    callsPerSecond: Number(given.rate ?? 30),
    random: new SeededRandom(seed),
    onProgress: (text) => console.error(text),
  });
  for (const { to, seconds, kills, days, differentDays, said } of ways) {
    console.log(
      `to ${to}: ${seconds.toFixed(0)} s with ${kills} kills; ${days} days, ${differentDays.length} different: ${differentDays.join(', ')}`,
    );
    console.log(said);
  }
  for (const query of differentQueries.slice(0, 5)) console.log(`different: ${query}`);
  console.log(`seed ${seed}: ${compared} answers compared, ${differentQueries.length} different`);
  console.log(
    `${verdict.responses} complete responses, ${verdict.acknowledgedUpdates} changes acknowledged; ${JSON.stringify(listsOf(verdict.findings))}`,
  );
  const isWrong = differentQueries.length > 0 || ways.some(({ differentDays }) => differentDays.length > 0);
  if (isWrong || countFindings(verdict.findings) > 0) process.exitCode = 1;
} finally {
  removeDataDir(parent);
}
