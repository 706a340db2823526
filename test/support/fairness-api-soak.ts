import { type ApiFairnessRun, type Outcome, percentile, runApiFairness } from './fairness-api.ts';
import { makeFairnessStore } from './fairness-store.ts';
import { inMegabytes, memoryOf } from './process-memory.ts';
import { childrenNamed, killStarted, makeDataDir, removeDataDir, type Service, startService } from './process-tree.ts';

export interface ApiFairnessSoak {
  readonly durationMs: number;
  /** Number of records of the greedy organisation. */
  readonly records: number;
  readonly connections: number;
}

const maxReadMs = 250;
/** A call may need two statements, each with `GATELOG_QUERY_TIMEOUT_MS`, and waits up to `GATELOG_QUERY_MAX_WAIT_MS` for memory. */
const maxResponseMs = 2 * 30_000 + 10_000;
const allowed: ReadonlySet<string> = new Set(['service_busy', 'query_too_large', 'query_timeout']);

type Print = (line: string) => void;

/** Sinks for the result and for the progress. */
export interface SoakOutput {
  readonly print: Print;
  readonly progress: Print;
}

/** Starts a service with its defaults and runs {@link runApiFairness} against it. @returns whether everything stayed within the limits. */
export async function soakApiFairness(
  { durationMs, records, connections }: ApiFairnessSoak,
  { print, progress }: SoakOutput,
): Promise<boolean> {
  const dataDir = makeDataDir();
  process.once('exit', () => removeDataDir(dataDir));
  process.once('SIGINT', () => process.exit(130));
  try {
    const store = await makeFairnessStore(dataDir, records, progress);
    const service = await startService({ dataDir });
    progress('the service runs');
    const alone = await runApiFairness({ api: service.api, store, connections: 0, durationMs: durationMs / 6 });
    print(lineOf('the other organisation, alone', alone.modest));
    const run = await runApiFairness({ api: service.api, store, connections, durationMs });
    report(run, service, print);
    const faults = faultsOf(run);
    for (const fault of faults) print(`FAULT: ${fault}`);
    await service.stop();
    return faults.length === 0;
  } finally {
    killStarted();
  }
}

function report({ greedy, modest, ready }: ApiFairnessRun, service: Service, print: Print): void {
  for (const what of new Set(greedy.map((outcome) => outcome.what))) {
    print(lineOf(what, greedy.filter((outcome) => outcome.what === what))); // prettier-ignore
  }
  print(lineOf('the other organisation', modest));
  print(lineOf('/readyz', ready));
  for (const role of ['core', 'gateway']) {
    for (const pid of childrenNamed(service.pid, role)) print(`peak memory of the ${role}: ${inMegabytes(memoryOf(pid).peak)}`);
  }
}

function lineOf(what: string, outcomes: readonly Outcome[]): string {
  const ms = outcomes.map((outcome) => outcome.ms);
  const counts = new Map<string, number>();
  for (const outcome of outcomes) counts.set(nameOf(outcome), (counts.get(nameOf(outcome)) ?? 0) + 1);
  const times = [50, 99, 100].map((percent) => percentile(ms, percent).toFixed(0)).join(' / ');
  return `${what}: p50 / p99 / max ${times} ms; ${[...counts].map(([name, count]) => `${count} × ${name}`).join(', ')}`;
}

function nameOf({ status, text }: Outcome): string {
  return status === 200 ? '200' : `${status} ${codeOf(text)}`;
}

function codeOf(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? '';
}

function faultsOf({ greedy, modest, ready }: ApiFairnessRun): readonly string[] {
  const p99 = percentile(modest.map(({ ms }) => ms), 99); // prettier-ignore
  const late = [...greedy, ...modest].filter(({ ms }) => ms > maxResponseMs);
  const unexpected = greedy.filter(({ status, text }) => status !== 200 && !allowed.has(codeOf(text)));
  return [
    ...(p99 > maxReadMs ? [`the p99 of the other organisation's reads is ${p99.toFixed(0)} ms`] : []),
    ...failuresOf(modest, 'reads of the other organisation'),
    ...failuresOf(ready, 'requests of /readyz'),
    ...(late.length > 0 ? [`${late.length} responses took longer than ${maxResponseMs} ms`] : []),
    ...(unexpected.length > 0
      ? [`${unexpected.length} responses had an unexpected error, the first: ${unexpected[0]?.text.slice(0, 200)}`]
      : []),
  ];
}

function failuresOf(outcomes: readonly Outcome[], what: string): readonly string[] {
  const failed = outcomes.filter(({ status }) => status !== 200);
  return failed.length === 0
    ? []
    : [`${failed.length} of ${outcomes.length} ${what} failed: ${failed[0]?.status} ${failed[0]?.text.slice(0, 200)}`];
}
