/**
 * `npm run soak -- export [requests] [--made n] [--service-kills n] [--command-kills n] [--idle seconds] [--seed n] [-- options]`: fills a
 * store (1,000,000 requests by default, of which 100,000 are made and the others copies), exports it with bodies by the command line while
 * calls come, and compares the files with what was stored. It prints the peak memory of every process, the rate, and the time of newest-10
 * queries alone and beside the export. What stands behind `--` goes to `gatelog export`. The exit code is 1 when a record is repeated or
 * missing.
 */
import { parseArgs } from 'node:util';
import { SeededRandom } from '../support/seeded-random.ts';
import { runExport } from '../support/export-run.ts';
import { killStarted, makeDataDir, removeDataDir } from '../support/process-tree.ts';

const number = { type: 'string' } as const;
const separator = process.argv.indexOf('--');
const own = process.argv.slice(2, separator === -1 ? undefined : separator);
const words = separator === -1 ? [] : process.argv.slice(separator + 1);
const { values: given, positionals } = parseArgs({
  args: own,
  allowPositionals: true,
  options: { made: number, seed: number, idle: number, 'service-kills': number, 'command-kills': number },
});
const requests = Number(positionals[0] ?? 1_000_000);
const seed = Number(given.seed ?? Date.now() % 2 ** 31);
const dataDir = makeDataDir();
const mega = (bytes: number): string => (bytes / 1e6).toFixed(0);

function quantile(times: readonly number[], share: number): string {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.toFixed(1) ?? '–';
}

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  console.error(`seed ${seed}`);
  const run = await runExport({
    dataDir,
    requests,
    made: Number(given.made ?? Math.min(requests, 100_000)),
    words: ['--include-body', ...words],
    serviceKills: Number(given['service-kills'] ?? 0),
    commandKills: Number(given['command-kills'] ?? 0),
    maxRunMs: 30_000,
    idleMs: Number(given.idle ?? 20) * 1000,
    random: new SeededRandom(seed),
    onProgress: (text) => console.error(text),
  });
  const seconds = run.exportMs / 1000;
  console.log(
    `${run.rows} records, ${mega(run.bytes)} MB in ${seconds.toFixed(1)} s: ${Math.round(run.rows / seconds)} records/s, ${mega(run.bytes / seconds)} MB/s`,
  );
  console.log(`killed: the service ${run.serviceKills} times, the command ${run.commandKills} times`);
  console.log(
    `${run.repeated} repeated, ${run.missing} missing, ${run.unknown} unknown, ${run.unordered} out of order; ${run.calls} calls meanwhile, ${run.callsExported} of them in it, ${run.callsSkipped} skipped`,
  );
  for (const [name, { before, peak }] of Object.entries(run.memory)) {
    console.log(`memory of ${name}: ${mega(before)} MB at the start, ${mega(peak)} MB at most`);
  }
  console.log(`memory of core over the export, MB: ${run.coreOverTime.map(mega).join(' ')}`);
  console.log(
    `newest 10, ms: alone p50 ${quantile(run.idle, 0.5)} p95 ${quantile(run.idle, 0.95)} (${run.idle.length}); beside p50 ${quantile(run.beside, 0.5)} p95 ${quantile(run.beside, 0.95)} (${run.beside.length})`,
  );
  if (run.repeated + run.missing + run.unknown + run.unordered + run.callsSkipped > 0) process.exitCode = 1;
} finally {
  removeDataDir(dataDir);
}
