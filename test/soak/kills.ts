/**
 * `npm run soak -- kills [count] [--seed n] [--rate n] [--mutant name]`: kills (kill -9) a gateway worker, the core, the supervisor or the
 * whole tree this many times (100 by default), at random moments under load (300 calls a second by default: JSON, streams, retries,
 * fallbacks, the cache, identifiers of callers), while it changes properties of requests, some of them still open. Afterwards every
 * complete response must be stored exactly once with its properties and its cost, every acknowledged change must be visible and once in
 * its history, and open calls must be stored. Progress goes to stderr; the last lines, on stdout, show the result. The exit code is 1 when
 * any of this is violated. A mutant is the program with a fault that the run must detect.
 */
import { parseArgs } from 'node:util';
import { SeededRandom } from '../support/seeded-random.ts';
import { type KillRun, runKills } from '../support/kill-run.ts';
import { countFindings, listsOf } from '../support/kill-verdict.ts';
import { type Kill, type KillKind, killKinds } from '../support/kills.ts';
import { makeMutant, mutantNames } from '../support/mutants.ts';
import { killStarted, makeDataDir, removeDataDir } from '../support/process-tree.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, rate: { type: 'string' }, mutant: { type: 'string' } },
});
const kills = Number(positionals[0] ?? 100);
const seed = Number(given.seed ?? Date.now() % 2 ** 31);
const callsPerSecond = Number(given.rate ?? 300);
const mutantName = mutantNames.find((name) => name === given.mutant);
if (given.mutant !== undefined && mutantName === undefined) {
  throw new Error(`there is no mutant ${given.mutant}; there are ${mutantNames.join(', ')}`);
}
const mutant = mutantName === undefined ? undefined : makeMutant(mutantName);
const dataDir = makeDataDir();
const startedAt = performance.now();
const shownOfEach = 5;
let killCount = 0;

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  console.error(`seed ${seed}`);
  const run = await runKills({
    kills,
    random: new SeededRandom(seed),
    dataDir,
    callsPerSecond,
    ...(mutant === undefined ? {} : { program: mutant.program }),
    onKill: printKill,
  });
  report(run);
} finally {
  removeDataDir(dataDir);
  mutant?.remove();
}

function printKill(kill: Kill, soFar: { readonly calls: number; readonly updates: number }): void {
  killCount += 1;
  console.error(
    `kill ${killCount}, ${kill.kind}: gateway down ${ms(kill.gatewayDownMs)}, API down ${ms(kill.apiDownMs)}; ${soFar.calls} calls, ${soFar.updates} changes`,
  );
}

function ms(duration: number | null): string {
  return duration === null ? '-' : `${duration.toFixed(0)} ms`;
}

function report({ kills: done, verdict, callsPerSecond: rate, failedWithoutCore }: KillRun): void {
  const { findings } = verdict;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `seed ${seed}${mutantName === undefined ? '' : `, mutant ${mutantName}`}: ${done.length} kills in ${seconds} s, ${rate.toFixed(0)} calls/s`,
  );
  for (const kind of killKinds) console.log(lineOf(kind, done));
  console.log(
    `${verdict.responses} complete responses, ${verdict.brokenCalls} calls without one (${verdict.brokenOff} recorded as broken off), ${verdict.records} records, ` +
      `${verdict.acknowledgedUpdates} changes acknowledged`,
  );
  console.log(
    `lost ${findings.lost.length}, duplicated ${findings.duplicated.length}, different ${findings.different.length}, open and not stored ${findings.notStored.length}, ` +
      `changes lost ${findings.lostUpdates.length}, not exactly once in the history ${findings.wrongHistory.length}, wrongly refused ${findings.refusedUpdates.length}, ` +
      `calls that failed without the core ${failedWithoutCore.length}`,
  );
  for (const [kind, found] of listsOf(findings)) {
    for (const sentence of found.slice(0, shownOfEach)) console.log(`  ${kind}: ${sentence}`);
  }
  process.exitCode = countFindings(findings) + failedWithoutCore.length === 0 ? 0 : 1;
}

function lineOf(kind: KillKind, done: readonly Kill[]): string {
  const own = done.filter((kill) => kill.kind === kind);
  const longest = (of: (kill: Kill) => number | null): string => ms(Math.max(0, ...own.map((kill) => of(kill) ?? 0)));
  return `${kind}: ${own.length} kills, gateway down ${longest(({ gatewayDownMs }) => gatewayDownMs)} at most, API ${longest(({ apiDownMs }) => apiDownMs)}`;
}
