/**
 * `npm run soak -- store-away [minutes] [--seed n] [--rate n]`: lets the store fail for this many minutes (5 by default) under load (200
 * calls a second by default): it refuses for half of the time, then takes five seconds for each operation, then works but loses its
 * responses. No model call may fail, nothing may be lost or duplicated, and the memory of the processes may not grow steadily. Progress
 * goes to stderr; the last lines, on stdout, show the result. The exit code is 1 when any of this is violated.
 */
import { parseArgs } from 'node:util';
import { SeededRandom } from '../support/seeded-random.ts';
import { countFindings, listsOf } from '../support/kill-verdict.ts';
import { inMegabytes } from '../support/process-memory.ts';
import { killStarted, makeDataDir, removeDataDir } from '../support/process-tree.ts';
import { type MemoryTrend, runStoreAway } from '../support/store-away.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, rate: { type: 'string' } },
});
const minutes = Number(positionals[0] ?? 5);
const seed = Number(given.seed ?? Date.now() % 2 ** 31);
const dataDir = makeDataDir();
/** A worker's heap has its size after a minute of calls. */
const warmMs = 90_000;
/** Workers do not use the store. The core keeps the position of each waiting call in the spool, but not the call. */
const maxGrowthBytes: Readonly<Record<MemoryTrend['role'], number>> = { gateway: 32e6, core: 256e6 };

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  console.error(`seed ${seed}`);
  const { verdict, failedCalls, callsPerSecond, backlog, catchUpMs, memory } = await runStoreAway({
    dataDir,
    random: new SeededRandom(seed),
    callsPerSecond: Number(given.rate ?? 200),
    warmMs,
    awayMs: minutes * 60_000,
    slowMs: 5000,
    onProgress: (what) => console.error(what),
  });
  const grown = memory.filter(({ role, firstBytes, maxBytes }) => maxBytes - firstBytes > maxGrowthBytes[role]);
  console.log(`seed ${seed}: the store was away for ${minutes} minutes at ${callsPerSecond.toFixed(0)} calls/s`);
  console.log(
    `failed calls ${failedCalls.length}; ${backlog} records waited, stored within ${(catchUpMs / 1000).toFixed(1)} s under the same load`,
  );
  for (const { role, firstBytes, maxBytes, bytesPerMinute } of memory) {
    const trend = `${(bytesPerMinute / 1e6).toFixed(1)} MB a minute in the second half`;
    console.log(`${role}: ${inMegabytes(firstBytes)} at first, ${inMegabytes(maxBytes)} at most, ${trend}`);
  }
  console.log(`${verdict.responses} complete responses, ${verdict.records} records, ${verdict.acknowledgedUpdates} changes acknowledged`);
  console.log(
    listsOf(verdict.findings)
      .map(([what, found]) => `${what} ${found.length}`)
      .join(', '),
  );
  for (const [what, found] of listsOf(verdict.findings)) for (const sentence of found.slice(0, 5)) console.log(`  ${what}: ${sentence}`);
  process.exitCode = failedCalls.length + countFindings(verdict.findings) + grown.length === 0 ? 0 : 1;
} finally {
  removeDataDir(dataDir);
}
