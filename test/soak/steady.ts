/**
 * `npm run soak -- steady [minutes] [--rate n] [--workers n]`: puts a steady load on a service with default settings for this many minutes
 * (30 by default), at the given rate or at half of the highest one. The highest rate is measured first, as `npm run bench -- gateway
 * --only sustained` does: a minute in a closed loop, and when the spool's backlog grows over its second half, the highest rate below it
 * with which the ingest keeps up.
 *
 * Progress goes to stderr every ten seconds; the last lines, on stdout, show the result. The exit code is 1 when
 * - a call failed, was not recorded or was not found afterwards, or fewer than 98 % of the requested calls were made;
 * - the memory of a process still grows, or it leaks descriptors or threads (`test/support/steady-verdict.ts` has the criteria);
 * - a process was replaced;
 * - more than 1 % of the calls could be found by their property only later than a second after their response, measured at the start of
 *   the query that found them. On a virtual machine only the calls count whose first second the host did not disturb
 *   (`test/support/stolen-time.ts`); when these are fewer than half, the result is unknown.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { highestRate as searchHighest } from '../../bench/gateway/highest-rate.ts';
import { chatLoad, type Load, LoadDriver } from '../../bench/gateway/load-driver.ts';
import { SpoolWatch, untilDrained } from '../../bench/gateway/spool-watch.ts';
import { OwnedProcesses } from '../../bench/measure/owned-processes.ts';
import { type GatelogCandidate, startGatelog } from '../../bench/peers/candidate.ts';
import { inMegabytes } from '../support/process-memory.ts';
import { latenessOf, undisturbedDelay } from '../support/steady-lateness.ts';
import { PropertyProbe } from '../support/steady-probe.ts';
import type { ProcessTrend } from '../support/steady-verdict.ts';
import { inMs, TreeWatch } from '../support/steady-watch.ts';
import { StolenTime } from '../support/stolen-time.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { rate: { type: 'string' }, workers: { type: 'string' } },
});
const minutes = Number(positionals[0] ?? 30);
const connections = 32;
const warmUpMs = 5000;
/** Longer than the ingest postpones the records of a burst. */
const fullRateMs = 60_000;
const reachedShare = 0.98;

const excusedText = 'more than 1 % of all calls were late, but not more than 1 % of the calls that the host did not disturb';

const processes = new OwnedProcesses();
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-steady-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.once('SIGINT', () => void processes.stopAll().then(() => process.exit(130)));

try {
  process.exitCode = (await soak()) ? 0 : 1;
} finally {
  await processes.stopAll();
}

async function soak(): Promise<boolean> {
  const { child, port } = await processes.forkListening('../../bench/load/fake-provider', import.meta.url, []);
  const provider = { port, pid: child.pid ?? 0 };
  const driver = new LoadDriver(processes.fork('../../bench/load/load-generator', import.meta.url, []));
  const surroundings = { processes, projectFolder: process.cwd(), temporaryFolder: folder, provider };
  const service = await startGatelog(surroundings, Number(given.workers ?? 1));
  await driver.warmUp(service, chatLoad(connections, warmUpMs));
  // The first probes would wait for the records of the warm-up.
  await untilDrained(service);
  const requestsPerSecond = given.rate === undefined ? (await highestRate(driver, service)) / 2 : Number(given.rate);
  console.error(`${requestsPerSecond.toFixed(0)} calls a second for ${minutes} minutes`);

  const before = await visibleRecords(service);
  const probe = new PropertyProbe(service);
  const stolen = new StolenTime();
  const watch = new TreeWatch(service, probe, (line) => console.error(line));
  const load = await driver.run(service, { ...chatLoad(connections, minutes * 60_000), requestsPerSecond });
  const trends = watch.stop();
  const found = await probe.stop();
  stolen.stop();
  const undisturbed = undisturbedDelay(found.samples, stolen);
  const lateness = latenessOf(found, undisturbed);
  const faults = [
    ...(load.errors > 0 ? [`${load.errors} calls failed, the first with: ${load.firstError ?? 'no message'}`] : []),
    ...(load.requestsPerSecond < requestsPerSecond * reachedShare ? ['the rate was not reached'] : []),
    ...found.errors,
    ...(found.notFound > 0 ? [`${found.notFound} calls were not found by their property`] : []),
    ...(lateness === 'late' ? ['calls can be queried only later than a second after their response'] : []),
    ...(lateness === 'unknown' ? ['the host stole too much CPU time: the delay until calls can be queried is unknown'] : []),
    ...watch.replaced.map((name) => `${name} was replaced`),
    ...trends.filter(({ grows }) => grows).map(({ process: name }) => `the memory of ${name} still grows`),
    ...trends.filter(({ leaks }) => leaks).map(({ process: name }) => `${name} leaks descriptors`),
    ...trends.filter(({ spawns }) => spawns).map(({ process: name }) => `${name} has more and more threads`),
    ...(await unrecorded(service)),
  ];
  console.log(`${load.responses} responses in ${minutes} minutes, ${load.requestsPerSecond.toFixed(0)} a second, ${load.errors} errors`);
  console.log(
    `calls could be queried by property after ${inMs(found.visible.p50Micros)} (p50), ${inMs(found.visible.p99Micros)} (p99); ${found.calls} calls`,
  );
  const stolenText = `the host stole ${(stolen.share() * 100).toFixed(1)} % of the CPU time`;
  console.log(
    `${stolenText}; the ${undisturbed.calls} undisturbed calls: after ${inMs(undisturbed.p50Micros)} (p50), ${inMs(undisturbed.p99Micros)} (p99)`,
  );
  console.log(`the queries that found them ended after ${inMs(found.answered.p50Micros)} (p50), ${inMs(found.answered.p99Micros)} (p99)`);
  const after = await visibleRecords(service);
  const inTime = (after.inTime - before.inTime) / (after.all - before.all);
  console.log(`the service counts ${(inTime * 100).toFixed(2)} % of its records as visible within a second`);
  for (const trend of trends) console.log(lineOf(trend));
  if (lateness === 'excused') console.log(excusedText);
  console.log(faults.length === 0 ? 'no faults' : faults.map((fault) => `FAULT: ${fault}`).join('\n'));
  return faults.length === 0;
}

/** The highest rate with which the ingest keeps up, in calls a second: that of a closed loop, or the highest one below it. */
async function highestRate(driver: LoadDriver, service: GatelogCandidate): Promise<number> {
  const keepsUp = async (load: Load): Promise<{ readonly keepsUp: boolean; readonly perSecond: number }> => {
    const watch = new SpoolWatch(service);
    const { requestsPerSecond } = await driver.run(service, load);
    const trend = watch.stop(load.durationMs / 2);
    const requested = load.requestsPerSecond ?? requestsPerSecond;
    const sustained = trend.keepsUp && requestsPerSecond >= requested * reachedShare;
    console.error(`${requested.toFixed(0)} a second: the ingest ${sustained ? 'keeps up' : 'falls behind'}`);
    await untilDrained(service);
    return { keepsUp: sustained, perSecond: requestsPerSecond };
  };
  const full = await keepsUp(chatLoad(connections, fullRateMs));
  if (full.keepsUp) return full.perSecond;
  const usual = chatLoad(connections, fullRateMs / 2);
  return searchHighest(async (requestsPerSecond) => (await keepsUp({ ...usual, requestsPerSecond })).keepsUp, full.perSecond);
}

/** Visible records, and those visible within a second, as the service counts them. */
async function visibleRecords({ apiUrl }: GatelogCandidate): Promise<{ readonly all: number; readonly inTime: number }> {
  const page = await (await fetch(`${apiUrl}/metrics`)).text();
  const read = (pattern: RegExp): number => Number(pattern.exec(page)?.[1] ?? 0);
  return {
    all: read(/^gatelog_visible_delay_seconds_count\{.*\} (\d+)$/m),
    inTime: read(/^gatelog_visible_delay_seconds_bucket\{.*le="1"\} (\d+)$/m),
  };
}

/** Metrics of the service that count unrecorded calls. */
async function unrecorded({ apiUrl }: GatelogCandidate): Promise<string[]> {
  const page = await (await fetch(`${apiUrl}/metrics`)).text();
  return page.split('\n').filter((line) => /^gatelog_(gateway_unrecorded|dead_letters)\w*\{.*\} [1-9]/.test(line));
}

function lineOf({ process: name, ...trend }: ProcessTrend): string {
  const memory = `${inMegabytes(trend.residentBytes)}, ${(trend.residentBytesPerHour / 1e6).toFixed(1)} MB an hour`;
  const descriptors = `${trend.descriptors} descriptors, ${trend.descriptorsPerHour.toFixed(1)} an hour`;
  return `${name}: ${memory}; ${descriptors}; ${trend.threads} threads, ${trend.threadsPerHour.toFixed(1)} an hour`;
}
