/**
 * `npm run soak -- fairness [seconds] [--records n] [--connections n]`: one organisation with so many records (300,000 unless given) asks the API the slowest queries
 * that there are over 50 connections for so many seconds (60), and another reads its own requests one by one meanwhile, against a service as a user would start it.
 *
 * Progress goes to stderr; what stands on stdout says how each question was answered, how long the other organisation waited, and the most memory that each process
 * had. Exit code 1 when
 * - the slowest of 100 reads of the other organisation took longer than 250 ms, or one of them failed;
 * - `/readyz` was not 200 at any time;
 * - anybody waited longer than a query may take and wait, or was answered anything but 200 and 503 `service_busy` with a query's limits (422, 504).
 */
import { parseArgs } from 'node:util';
import { type ApiFairnessRun, type Outcome, percentile, runApiFairness } from '../support/fairness-api.ts';
import { makeFairnessStore } from '../support/fairness-store.ts';
import { inMegabytes, memoryOf } from '../support/process-memory.ts';
import { childrenNamed, killStarted, makeDataDir, removeDataDir, type Service, startService } from '../support/process-tree.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { records: { type: 'string' }, connections: { type: 'string' } },
});
const durationMs = Number(positionals[0] ?? 60) * 1000;
const maxReadMs = 250;
/** `GATELOG_QUERY_TIMEOUT_MS`, in which a query's wait is counted, for each of the statements that one call may need, and `GATELOG_QUERY_MAX_WAIT_MS` for memory. */
const maxAnswerMs = 2 * 30_000 + 10_000;
const allowed: ReadonlySet<string> = new Set(['service_busy', 'query_too_large', 'query_timeout']);

const dataDir = makeDataDir();
process.once('exit', () => removeDataDir(dataDir));
process.once('SIGINT', () => process.exit(130));

try {
  const store = await makeFairnessStore(dataDir, Number(given.records ?? 300_000), (line) => console.error(line));
  const service = await startService({ dataDir });
  console.error('the service runs');
  const alone = await runApiFairness({ api: service.api, store, connections: 0, durationMs: durationMs / 6 });
  console.log(lineOf('the other organisation, alone', alone.modest));
  const run = await runApiFairness({ api: service.api, store, connections: Number(given.connections ?? 50), durationMs });
  report(run, service);
  const faults = faultsOf(run);
  for (const fault of faults) console.log(`FAULT: ${fault}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
  await service.stop();
} finally {
  killStarted();
}

function report({ greedy, modest, ready }: ApiFairnessRun, service: Service): void {
  for (const what of new Set(greedy.map((outcome) => outcome.what))) {
    console.log(lineOf(what, greedy.filter((outcome) => outcome.what === what))); // prettier-ignore
  }
  console.log(lineOf('the other organisation', modest));
  console.log(lineOf('/readyz', ready));
  for (const role of ['core', 'gateway']) {
    for (const pid of childrenNamed(service.pid, role)) console.log(`most memory of the ${role}: ${inMegabytes(memoryOf(pid).peak)}`);
  }
}

function lineOf(what: string, outcomes: readonly Outcome[]): string {
  const ms = outcomes.map((outcome) => outcome.ms);
  const counts = new Map<string, number>();
  for (const outcome of outcomes) counts.set(nameOf(outcome), (counts.get(nameOf(outcome)) ?? 0) + 1);
  const times = [50, 99, 100].map((percent) => percentile(ms, percent).toFixed(0)).join(' / ');
  return `${what}: p50 / p99 / most ${times} ms; ${[...counts].map(([name, count]) => `${count} × ${name}`).join(', ')}`;
}

function nameOf({ status, text }: Outcome): string {
  return status === 200 ? '200' : `${status} ${codeOf(text)}`;
}

function codeOf(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? '';
}

function faultsOf({ greedy, modest, ready }: ApiFairnessRun): readonly string[] {
  const p99 = percentile(modest.map(({ ms }) => ms), 99); // prettier-ignore
  const late = [...greedy, ...modest].filter(({ ms }) => ms > maxAnswerMs);
  const strange = greedy.filter(({ status, text }) => status !== 200 && !allowed.has(codeOf(text)));
  return [
    ...(p99 > maxReadMs ? [`one of 100 reads of the other organisation took ${p99.toFixed(0)} ms or more`] : []),
    ...failuresOf(modest, 'reads of the other organisation'),
    ...failuresOf(ready, 'looks at /readyz'),
    ...(late.length > 0 ? [`${late.length} answers took longer than ${maxAnswerMs} ms`] : []),
    ...(strange.length > 0
      ? [`${strange.length} answers were no answers to a slow query, the first: ${strange[0]?.text.slice(0, 200)}`]
      : []),
  ];
}

function failuresOf(outcomes: readonly Outcome[], what: string): readonly string[] {
  const failed = outcomes.filter(({ status }) => status !== 200);
  return failed.length === 0
    ? []
    : [`${failed.length} of ${outcomes.length} ${what} failed: ${failed[0]?.status} ${failed[0]?.text.slice(0, 200)}`];
}
