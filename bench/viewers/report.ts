import type { Machine } from '../measure/machine.ts';

/** What a scene took in one round. */
export interface Measured {
  readonly scene: string;
  readonly viewers: number;
  readonly callsPerSecond: number;
  /** Processor time of the core, milliseconds per second. */
  readonly coreMs: number;
  /** Memory of the core at the end. */
  readonly residentBytes: number;
  /** Events that all viewers got in a second, and those that were due. */
  readonly events: number;
  readonly due: number;
}

export interface Results {
  readonly machine: Machine;
  readonly seconds: number;
  /** Each with the same scenes in the same order. */
  readonly rounds: readonly (readonly Measured[])[];
  /** The answer to one viewer too many. */
  readonly refusal: string;
}

const heads = ['calls/s', 'viewers', 'core ms/s', 'beyond none', 'ms/s a viewer', 'µs an event', 'core MiB', 'events/s'] as const;
const leftColumn = 1;

export function renderViewers({ machine, seconds, rounds, refusal }: Results): string {
  const rows = (rounds[0] ?? []).map((_, index) => rowOf(rounds, index));
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === leftColumn ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const { cpuModel, cores, nodeVersion, commit, describedAt, loadBefore } = machine;
  return [
    `${cpuModel}, ${cores} cores, Node ${nodeVersion}, commit ${commit}, ${describedAt}, load before ${loadBefore.toFixed(1)}`,
    `Medians of ${rounds.length} rounds of ${seconds} s a scene, with the least and the most in brackets.`,
    '',
    line(heads),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
    '',
    `One viewer too many: ${refusal}`,
  ].join('\n');
}

function rowOf(rounds: readonly (readonly Measured[])[], index: number): readonly string[] {
  const all = rounds.flatMap((round) => round[index] ?? []);
  const [first] = all;
  if (first === undefined) return [];
  const beyond = rounds.map((round) => (round[index]?.coreMs ?? 0) - (aloneIn(round, first.callsPerSecond)?.coreMs ?? 0));
  const events = median(all.map((each) => each.events));
  const hasViewers = first.viewers > 0;
  return [
    String(first.callsPerSecond),
    first.scene,
    median(all.map(({ coreMs }) => coreMs)).toFixed(0),
    hasViewers ? `${median(beyond).toFixed(0)} (${Math.min(...beyond).toFixed(0)} to ${Math.max(...beyond).toFixed(0)})` : '',
    hasViewers ? (median(beyond) / first.viewers).toFixed(2) : '',
    events === 0 ? '' : ((1000 * median(beyond)) / events).toFixed(0),
    (median(all.map(({ residentBytes }) => residentBytes)) / 2 ** 20).toFixed(0),
    first.due === 0 ? '' : `${events.toFixed(0)} of ${median(all.map(({ due }) => due)).toFixed(0)}`,
  ];
}

/** The scene of the same round without viewers. */
function aloneIn(round: readonly Measured[], callsPerSecond: number): Measured | undefined {
  return round.find((each) => each.viewers === 0 && each.callsPerSecond === callsPerSecond);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
