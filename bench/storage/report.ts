import { markdownTable, shown } from '../gateway/markdown.ts';
import { diskBytes, figureOf, indexBytes, megabyte, percentile, questionNames, rowsPerSecond, wireByStored } from './figures.ts';
import type { Round, SideRound } from './measure.ts';
import type { SideName } from './side.ts';

/** Columns and indexes below this share of both stores are not shown. */
const shownShare = 0.003;

interface Line {
  readonly what: string;
  readonly digits: number;
  readonly valueOf: (side: SideName) => number;
}

/** The table of one scenario. */
export function renderScenario(rounds: readonly Round[]): string[] {
  const [first] = rounds;
  if (first === undefined) return [];
  const { scenario, traffic, batchRows } = first;
  const said = traffic.firstSaidBytes / megabyte;
  const lines = [...storedLines(rounds), ...insertLines(rounds), ...questionLines(rounds)];
  return [
    `### ${scenario.title}`,
    '',
    `${shown(traffic.calls, 0)} calls, ${shown(traffic.wireBytes / megabyte, 1)} MB on the wire, ${shown(said, 1)} MB of them said for the first time; a batch has ${batchRows} calls`,
    '',
    ...markdownTable(
      ['', 'before', 'now', 'now ÷ before'],
      lines.map(({ what, digits, valueOf }) => {
        const [before, now] = [valueOf('before'), valueOf('now')];
        return [what, shown(before, digits), shown(now, digits), before === 0 ? '–' : shown(now / before, 2)];
      }),
    ),
    '',
  ];
}

function storedLines(rounds: readonly Round[]): readonly Line[] {
  const megabytes = (what: string, read: (round: SideRound) => number): Line => ({
    what,
    digits: 2,
    valueOf: (side) => figureOf(rounds, side, read) / megabyte,
  });
  return [
    megabytes('stored when the engine is at rest, MB', ({ settled }) => diskBytes(settled)),
    megabytes('**stored when all is merged, MB**', ({ merged }) => diskBytes(merged)),
    { what: '**wire ÷ stored**', digits: 2, valueOf: (side) => wireByStored(rounds, side) },
    megabytes('of it indexes', ({ merged }) => indexBytes(merged)),
    ...partLines(rounds).map(({ what, read }) => megabytes(`of it ${what}`, read)),
  ];
}

interface StoredPart {
  readonly what: string;
  readonly read: (round: SideRound) => number;
}

/** Tables, and what is not small in them. */
function partLines(rounds: readonly Round[]): readonly StoredPart[] {
  const sides = rounds.flatMap(({ sides: both }) => [both.before, both.now]);
  const least = Math.min(...sides.map(({ merged }) => diskBytes(merged))) * shownShare;
  const found = sides.flatMap(({ merged }) =>
    merged.flatMap(({ table, columns, indexes }) => [
      { name: table, read: bytesOfTable(table) },
      ...Object.keys(columns).map((column) => ({ name: `${table}.${column}`, read: bytesIn(table, 'columns', column) })),
      ...Object.keys(indexes).map((index) => ({ name: `${table}, index ${index}`, read: bytesIn(table, 'indexes', index) })),
    ]),
  );
  const tables = new Set(sides.flatMap(({ merged }) => merged.map(({ table }) => table)));
  const named = new Map(found.map(({ name, read }) => [name, read]));
  return [...named]
    .map(([what, read]) => ({ what, read, most: Math.max(...sides.map(read)) }))
    .filter(({ what, most }) => most >= least || tables.has(what))
    .toSorted((left, right) => right.most - left.most);
}

function bytesOfTable(name: string): StoredPart['read'] {
  return ({ merged }) => merged.find(({ table }) => table === name)?.diskBytes ?? 0;
}

function bytesIn(name: string, kind: 'columns' | 'indexes', member: string): StoredPart['read'] {
  return ({ merged }) => merged.find(({ table }) => table === name)?.[kind][member] ?? 0;
}

function insertLines(rounds: readonly Round[]): readonly Line[] {
  const { calls, wireBytes } = rounds[0]?.traffic ?? { calls: Number.NaN, wireBytes: Number.NaN };
  const each = (what: string, digits: number, read: (round: SideRound) => number): Line => ({
    what,
    digits,
    valueOf: (side) => figureOf(rounds, side, read),
  });
  return [
    { what: 'inserted, rows/s', digits: 0, valueOf: (side) => rowsPerSecond(rounds, side) },
    {
      what: 'inserted, MB/s of the wire',
      digits: 1,
      valueOf: (side) => (rowsPerSecond(rounds, side) * wireBytes) / calls / megabyte,
    },
    each('CPU until the engine is at rest, µs/row', 0, ({ storing }) => (storing.cpuMs * 1000) / calls),
    each('CPU until the engine is at rest, ms/MB of the wire', 1, ({ storing }) => storing.cpuMs / (wireBytes / megabyte)),
    each('of it while rows were inserted', 0, ({ insertCpuMs }) => (insertCpuMs * 1000) / calls),
    each('read by merges until then, MB', 1, ({ storing }) => storing.merges.mergedBytes / megabyte),
    each('time of merges until then, µs/row', 0, ({ storing }) => (storing.merges.mergeMs * 1000) / calls),
    each('CPU to merge all, µs/row', 0, ({ merging }) => (merging.cpuMs * 1000) / calls),
    each('parts at rest', 0, ({ settled }) => settled.reduce((sum, { parts }) => sum + parts, 0)),
  ];
}

function questionLines(rounds: readonly Round[]): readonly Line[] {
  return questionNames(rounds).flatMap((name) =>
    [0.5, 0.95].map((share) => ({
      what: `${name}, p${share * 100} ms`,
      digits: 1,
      valueOf: (side: SideName) => percentile(rounds, side, { name, share }),
    })),
  );
}
