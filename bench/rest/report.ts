import { markdownTable, shown, shownSpread } from '../gateway/markdown.ts';
import type { Machine } from '../measure/machine.ts';
import { spreadOf, type Spread } from '../measure/spread.ts';
import { type ProcessMemory, roles } from './memory-map.ts';

export const dataFolders = ['empty', 'with data'] as const;
export type DataFolder = (typeof dataFolders)[number];

export const moments = ['after the start', 'after calls and queries'] as const;
export type Moment = (typeof moments)[number];

/** Measurements of one start. */
export interface Start {
  readonly folder: DataFolder;
  readonly readyMs: number;
  readonly memory: Readonly<Record<Moment, readonly ProcessMemory[]>>;
}

export interface RestResult {
  readonly machine: Machine;
  readonly rounds: number;
  readonly idleSeconds: number;
  readonly records: number;
  readonly starts: readonly Start[];
}

const megabyte = 1e6;

/** Upper bounds of medians: bytes, and milliseconds. */
const aims = { treeProportional: 330 * megabyte, supervisorResident: 70 * megabyte, readyMs: 1500 } as const;

type Count = 'resident' | 'proportional' | 'privateDirty' | 'threads';
const counts = [
  ['resident (RSS), MB', 'resident'],
  ['proportional (PSS), MB', 'proportional'],
  ['private dirty, MB', 'privateDirty'],
  ['threads', 'threads'],
] as const satisfies readonly (readonly [title: string, count: Count])[];

/** The whole report as Markdown, and whether every aim was reached. */
export function renderRest(result: RestResult): { readonly text: string; readonly isReached: boolean } {
  const { machine, rounds, idleSeconds, records } = result;
  const verdicts = verdictsOn(result);
  const lines = [
    `${machine.cpuModel}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node ${machine.nodeVersion}`,
    `commit ${machine.commit}, ${machine.describedAt}, load of the machine beforehand ${machine.loadBefore.toFixed(2)}`,
    `rounds: ${rounds}; memory ${idleSeconds} s after the last call or query; ${records} records in the folder with data; MB of 10^6 bytes; median (minimum–maximum)`,
    ...dataFolders.flatMap((folder) => moments.flatMap((moment) => memoryTable(result, folder, moment))),
    '',
    '### Aims',
    '',
    ...markdownTable(
      ['', 'aim', 'measured', 'verdict'],
      verdicts.map(({ cells }) => cells),
    ),
  ];
  return { text: lines.join('\n'), isReached: verdicts.every(({ isReached }) => isReached) };
}

function memoryTable(result: RestResult, folder: DataFolder, moment: Moment): string[] {
  const cellsOf = (sumOf: (memory: readonly ProcessMemory[], count: Count) => number): string[] =>
    counts.map(([, count]) => {
      const divisor = count === 'threads' ? 1 : megabyte;
      return shownSpread(
        overStarts(result, folder, (start) => sumOf(start.memory[moment], count) / divisor),
        count === 'threads' ? 0 : 1,
      );
    });
  return [
    '',
    `### Data folder ${folder}, ${moment}`,
    '',
    ...markdownTable(
      ['', ...counts.map(([title]) => title)],
      [
        ...roles.map((role) => [
          role,
          ...cellsOf((memory, count) =>
            total(
              memory.filter((one) => one.role === role),
              count,
            ),
          ),
        ]),
        ['the tree', ...cellsOf((memory, count) => total(memory, count))],
      ],
    ),
  ];
}

function total(memory: readonly ProcessMemory[], count: Count): number {
  return memory.reduce((sum, one) => sum + one[count], 0);
}

function overStarts({ starts }: RestResult, folder: DataFolder, measure: (start: Start) => number): Spread | null {
  return spreadOf(starts.filter((start) => start.folder === folder).map(measure));
}

/** Judges the medians, each of the folder and moment where it is worst. */
function verdictsOn(result: RestResult): { readonly cells: readonly string[]; readonly isReached: boolean }[] {
  const worst = (measure: (start: Start, moment: Moment) => number): number =>
    Math.max(
      ...dataFolders.flatMap((folder) =>
        moments.map((moment) => overStarts(result, folder, (start) => measure(start, moment))?.median ?? Number.POSITIVE_INFINITY),
      ),
    );
  const tree = worst(({ memory }, moment) => total(memory[moment], 'proportional'));
  const supervisor = worst(({ memory }, moment) =>
    total(
      memory[moment].filter(({ role }) => role === 'supervisor'),
      'resident',
    ),
  );
  return [
    judged('the tree at rest, proportional', tree, aims.treeProportional, bytes),
    judged('the supervisor, resident', supervisor, aims.supervisorResident, bytes),
    ...dataFolders.map((folder) => {
      const ms = overStarts(result, folder, ({ readyMs }) => readyMs)?.median ?? Number.POSITIVE_INFINITY;
      return judged(`from spawn until ready, data folder ${folder}`, ms, aims.readyMs, (value) => `${shown(value / 1000, 2)} s`);
    }),
  ];
}

function bytes(value: number): string {
  return `${shown(value / megabyte, 1)} MB`;
}

function judged(what: string, value: number, max: number, show: (value: number) => string) {
  const isReached = value <= max;
  return { cells: [what, `≤ ${show(max)}`, show(value), isReached ? 'reached' : '**missed**'], isReached };
}
