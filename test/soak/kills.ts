/**
 * `npm run soak -- kills [count] [--seed n] [--rate n] [--mutant name]`: kills (kill -9) a gateway worker, the core, the supervisor or the whole tree, so many times
 * (100 unless given), at random moments under load (JSON, streams, retries, fallbacks, the cache, identifiers of callers, 300 calls a second unless given) while properties of requests are
 * changed, also of such as are still open. Then every reply that a client had whole must be stored exactly once with its properties and its cost, every acknowledged change must be
 * seen, once in its history, and what was open must be there. Progress goes to stderr; the last lines, on stdout, say what came of it. Exit code 1 when anything was not so.
 * A mutant is the program with a fault, which has to be found.
 */
import { parseArgs } from 'node:util';
import { Dice } from '../support/dice.ts';
import { type Kill, type KillKind, killKinds, type KillRun, runKills } from '../support/kill-run.ts';
import { countFindings, listsOf } from '../support/kill-verdict.ts';
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
let told = 0;

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  console.error(`seed ${seed}`);
  const run = await runKills({
    kills,
    dice: new Dice(seed),
    dataDir,
    callsPerSecond,
    ...(mutant === undefined ? {} : { program: mutant.program }),
    onKill: tell,
  });
  report(run);
} finally {
  removeDataDir(dataDir);
  mutant?.remove();
}

function tell(kill: Kill, soFar: { readonly calls: number; readonly updates: number }): void {
  told += 1;
  console.error(
    `kill ${told}, ${kill.kind}: gateway away ${ms(kill.gatewayAwayMs)}, API away ${ms(kill.apiAwayMs)}; ${soFar.calls} calls, ${soFar.updates} changes`,
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
    `${verdict.responses} whole replies, ${verdict.brokenCalls} calls without one (${verdict.brokenOff} on record as broken off), ${verdict.records} records, ` +
      `${verdict.acknowledgedUpdates} changes acknowledged`,
  );
  console.log(
    `lost ${findings.lost.length}, doubled ${findings.doubled.length}, different ${findings.different.length}, open and not seen ${findings.unseen.length}, ` +
      `changes lost ${findings.lostUpdates.length}, not once in the history ${findings.wrongHistory.length}, wrongly refused ${findings.refusedUpdates.length}, ` +
      `calls failed for want of the core ${failedWithoutCore.length}`,
  );
  for (const [kind, found] of listsOf(findings)) {
    for (const sentence of found.slice(0, shownOfEach)) console.log(`  ${kind}: ${sentence}`);
  }
  process.exitCode = countFindings(findings) + failedWithoutCore.length === 0 ? 0 : 1;
}

function lineOf(kind: KillKind, done: readonly Kill[]): string {
  const own = done.filter((kill) => kill.kind === kind);
  const longest = (of: (kill: Kill) => number | null): string => ms(Math.max(0, ...own.map((kill) => of(kill) ?? 0)));
  return `${kind}: ${own.length} kills, gateway away ${longest(({ gatewayAwayMs }) => gatewayAwayMs)} at most, API ${longest(({ apiAwayMs }) => apiAwayMs)}`;
}
