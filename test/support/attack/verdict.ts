import { percentile } from '../fairness-api.ts';
import { inMegabytes } from '../process-memory.ts';
import type { Seen } from './neighbour.ts';

/** What was measured while one surface was attacked, and in the same stretch of time without an attack right before. */
export interface SurfaceRun {
  readonly surface: string;
  readonly words: string;
  /** Answers to the attack by status, the most frequent first. */
  readonly answers: readonly (readonly [name: string, count: number])[];
  readonly quiet: Seen;
  readonly attacked: Seen;
  /** What the service's own metrics say about the attack's time. */
  readonly waits: readonly string[];
  /** Identifiers of the neighbour's records that the lists show, one for each row. */
  readonly recorded: readonly string[];
  /** By process: peak of its resident memory, bytes. */
  readonly peaks: readonly (readonly [role: string, bytes: number])[];
  /** Process ids by role, before and after. */
  readonly processes: { readonly before: readonly number[]; readonly after: readonly number[] };
}

/** Milliseconds that are good enough for a p99, whatever it was without an attack. */
const aims = { callMs: 100, readMs: 250 } as const;
/** A p99 above its aim may be so many times that without an attack. */
const timesQuiet = 3;
const maxVisibleMs = 10_000;
const maxBytes = 1.5e9;

/** @returns what must not happen; nothing where the neighbour was served, however slowly. */
export function faultsOf({ quiet, attacked, recorded, peaks, processes }: SurfaceRun): readonly string[] {
  const taken = [...quiet.taken, ...attacked.taken];
  const unique = new Set(recorded);
  const lost = taken.filter((id) => !unique.has(id));
  const slowest = Math.max(0, ...attacked.visibleMs);
  return [
    ...(slowest > maxVisibleMs ? [`a record was visible after ${slowest.toFixed(0)} ms only`] : []),
    ...(lost.length > 0 ? [`${lost.length} records are lost`] : []),
    ...(recorded.length > unique.size ? [`${recorded.length - unique.size} records are doubled`] : []),
    ...tallied(attacked.failures).map(([what, count]) => `${count} × ${what}`),
    ...peaks.filter(([, bytes]) => bytes > maxBytes).map(([role, bytes]) => `${role} took ${inMegabytes(bytes)}`),
    ...(processes.before.join() === processes.after.join() ? [] : ['a process was started again']),
  ];
}

/** @returns which aims for the neighbour's times are missed; two busy cores may miss them without a fault. */
function missedAimsOf({ quiet, attacked }: SurfaceRun): readonly string[] {
  return [...slower('call', aims.callMs, quiet.callsMs, attacked.callsMs), ...slower('read', aims.readMs, quiet.readsMs, attacked.readsMs)];
}

function slower(what: string, aimMs: number, quiet: readonly number[], attacked: readonly number[]): readonly string[] {
  if (boundOf(aimMs, quiet, attacked) !== 'neither') return [];
  const [before, p99] = [percentile(quiet, 99), percentile(attacked, 99)];
  return [`the p99 of a ${what} is ${p99.toFixed(0)} ms, and ${before.toFixed(0)} ms without the attack`];
}

/** Which bound a p99 is within. */
function boundOf(aimMs: number, quiet: readonly number[], attacked: readonly number[]): 'aim' | '3 times' | 'neither' {
  const p99 = percentile(attacked, 99);
  if (p99 <= aimMs) return 'aim';
  return p99 <= timesQuiet * percentile(quiet, 99) ? `${timesQuiet} times` : 'neither';
}

function verdictOf(run: SurfaceRun): 'held' | 'aim missed' | 'FAULT' {
  if (faultsOf(run).length > 0) return 'FAULT';
  return missedAimsOf(run).length > 0 ? 'aim missed' : 'held';
}

/** Some lines about one surface, the last of which is the verdict. */
export function linesOf(run: SurfaceRun): readonly string[] {
  const { surface, words, answers, quiet, attacked, peaks } = run;
  const faults = faultsOf(run);
  const both = (of: (seen: Seen) => readonly number[]): string => `${times(of(attacked))} (${times(of(quiet))} without)`;
  return [
    `${surface}: ${words}`,
    `  answers to the attack: ${answers.map(([name, count]) => `${count} × ${name}`).join(', ')}`,
    `  peak memory: ${peaks.map(([role, bytes]) => `${role} ${inMegabytes(bytes)}`).join(', ')}`,
    `  the neighbour's calls p50 / p99: ${both(({ callsMs }) => callsMs)}, within: ${boundOf(aims.callMs, quiet.callsMs, attacked.callsMs)}`,
    `  its reads p50 / p99: ${both(({ readsMs }) => readsMs)}, within: ${boundOf(aims.readMs, quiet.readsMs, attacked.readsMs)}`,
    `  its records visible p50 / max: ${visible(attacked)} (${visible(quiet)} without)`,
    `  ${attacked.taken.length} calls and spans taken, ${
      tallied(attacked.failures).length === 0
        ? 'nothing failed'
        : tallied(attacked.failures)
            .map(([what, count]) => `${count} × ${what}`)
            .join(', ')
    }`,
    ...run.waits.map((line) => `  ${line}`),
    ...faults.map((fault) => `  FAULT: ${fault}`),
    ...missedAimsOf(run).map((missed) => `  aim missed: ${missed}`),
    `  ${verdictOf(run)}`,
  ];
}

/** One row of the table at the end: columns of equal width. */
export function tableOf(runs: readonly SurfaceRun[]): readonly string[] {
  const head = [
    'surface',
    'answers',
    'supervisor',
    'core',
    'worker',
    'calls p50/p99',
    'without',
    'within',
    'reads p50/p99',
    'without',
    'within',
    'visible max',
    'verdict',
  ];
  const rows = runs.map((run) => [
    run.surface,
    String(run.answers.reduce((sum, [, count]) => sum + count, 0)),
    ...['supervisor', 'core', 'gateway'].map((role) => megabytesOf(run, role)),
    times(run.attacked.callsMs),
    times(run.quiet.callsMs),
    boundOf(aims.callMs, run.quiet.callsMs, run.attacked.callsMs),
    times(run.attacked.readsMs),
    times(run.quiet.readsMs),
    boundOf(aims.readMs, run.quiet.readsMs, run.attacked.readsMs),
    `${Math.max(0, ...run.attacked.visibleMs).toFixed(0)} ms`,
    verdictOf(run),
  ]);
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function megabytesOf({ peaks }: SurfaceRun, role: string): string {
  return inMegabytes(Math.max(0, ...peaks.filter(([name]) => name === role).map(([, bytes]) => bytes)));
}

function times(ms: readonly number[]): string {
  return `${percentile(ms, 50).toFixed(1)} / ${percentile(ms, 99).toFixed(0)} ms`;
}

function visible({ visibleMs }: Seen): string {
  return `${percentile(visibleMs, 50).toFixed(0)} / ${Math.max(0, ...visibleMs).toFixed(0)} ms`;
}

/** Equal texts with their number; what is not found is one kind. */
function tallied(failures: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const failure of failures) counts.set(kindOf(failure), (counts.get(kindOf(failure)) ?? 0) + 1);
  return [...counts];
}

function kindOf(failure: string): string {
  return failure.replace(/: [\da-f-]{36}$/, '');
}
