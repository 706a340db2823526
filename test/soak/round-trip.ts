/**
 * `npm run soak -- round-trip [records]`: exports records (100,000 by default) with values of all fields and with bodies, imports them into
 * a fresh deployment, imports them once more, and exports them from there. It prints the rates. The exit code is 1 when the two exports are
 * not byte for byte the same, or the second import adds something.
 */
import { killStarted, makeDataDir, removeDataDir } from '../support/process-tree.ts';
import { runRoundTrip } from '../support/round-trip-run.ts';

const count = Number(process.argv[2] ?? 100_000);
const dataDirs = [makeDataDir(), makeDataDir()] as const;

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  const run = await runRoundTrip(dataDirs, count);
  const rate = (seconds: number): string => `${seconds.toFixed(1)} s, ${Math.round(count / seconds)} records/s`;
  console.log(`${run.records} records, ${(run.bytes / 1e6).toFixed(0)} MB`);
  console.log(`export: ${rate(run.exportSeconds)}`);
  console.log(`import: ${rate(run.importSeconds)}; all found after ${run.foundSeconds.toFixed(1)} s`);
  console.log(`second import: ${rate(run.again.seconds)}; ${run.again.imported} imported, ${run.again.alreadyThere} already there`);
  console.log(run.isSame ? 'both exports are the same, byte for byte' : `different:\n${run.different?.join('\n')}`);
  if (!run.isSame || run.again.imported > 0 || run.records !== count) process.exitCode = 1;
} finally {
  for (const dataDir of dataDirs) removeDataDir(dataDir);
}
