import type { LatencySummary } from '../load/latency-histogram.ts';
import type { Machine } from '../measure/machine.ts';

/** The state at one moment of a scene. */
export interface Moment {
  readonly atSeconds: number;
  /** Memory of the core. */
  readonly residentBytes: number;
  /** Of the database of events, with its log. */
  readonly eventsBytes: number;
  /** Processor time of the core since the moment before, milliseconds a second. */
  readonly coreMs: number;
  /** Calls answered so far, and events of the fast destination and of the slow one. */
  readonly calls: number;
  readonly fast: number;
  readonly slow: number;
}

export interface SceneResult {
  readonly name: string;
  readonly callsPerMinute: number;
  readonly moments: readonly Moment[];
  /** From the end of a response to its event at the fast destination; undefined without one. */
  readonly delay: LatencySummary | undefined;
  /** Calls whose event the fast destination did not get. */
  readonly missing: number;
}

export interface Results {
  readonly machine: Machine;
  readonly scenes: readonly SceneResult[];
}

const heads = ['scene', 'at s', 'core ms/s', 'core MiB', 'events.db MiB', 'calls', 'fast', 'slow'] as const;

export function renderWebhooks({ machine, scenes }: Results): string {
  const rows = scenes.flatMap(({ name, moments }) => moments.map((moment) => [name, ...cellsOf(moment)]));
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const { cpuModel, cores, nodeVersion, commit, describedAt, loadBefore } = machine;
  return [
    `${cpuModel}, ${cores} cores, Node ${nodeVersion}, commit ${commit}, ${describedAt}, load before ${loadBefore.toFixed(1)}`,
    '',
    line(heads),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
    '',
    ...scenes.flatMap(delayOf),
  ].join('\n');
}

function cellsOf(moment: Moment): readonly string[] {
  return [
    moment.atSeconds.toFixed(0),
    moment.coreMs.toFixed(0),
    mebibytes(moment.residentBytes),
    mebibytes(moment.eventsBytes),
    String(moment.calls),
    String(moment.fast),
    String(moment.slow),
  ];
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

function delayOf({ name, delay, missing, callsPerMinute }: SceneResult): readonly string[] {
  if (delay === undefined) return [];
  return [
    `${name}, ${callsPerMinute} a minute: delay of the fast one p50 ${ms(delay.p50Micros)}, p99 ${ms(delay.p99Micros)}, at most ${ms(delay.maximumMicros)}; ${missing} events missing`,
  ];
}

function ms(micros: number): string {
  return `${(micros / 1000).toFixed(0)} ms`;
}
