import type { Machine } from '../measure/machine.ts';
import { timesOf } from '../query/times.ts';
import type { AtRate, Round } from './measures.ts';

/** Milliseconds, and the fastest scroll without a blank, of `docs/internals/page-contract.md`. */
export const bounds = { rows: 1000, filter: 300, session: 1000, body: 500, rowsPerSecond: 60 } as const;

export interface Results {
  readonly machine: Machine;
  readonly browser: string;
  /** Requests that the list says it has. */
  readonly total: string;
  readonly rounds: readonly Round[];
  readonly scrolledRows: number;
}

interface Line {
  readonly what: string;
  readonly samples: readonly number[];
  readonly bound?: number;
  /** The 95th percentile is judged, else the slowest. */
  readonly isP95?: true;
}

export function renderWeb({ machine, browser, total, rounds, scrolledRows }: Results): {
  readonly text: string;
  readonly isReached: boolean;
} {
  const lines = linesOf(rounds);
  const scrolls = rounds.flatMap(({ scrolled, sessionScrolled }) => [...scrolled, ...sessionScrolled]);
  const text = [
    `${machine.cpuModel}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node ${machine.nodeVersion}, Chromium ${browser}`,
    `commit ${machine.commit}, ${machine.describedAt}, load of the machine beforehand ${machine.loadBefore.toFixed(2)}`,
    `${total} of a month, a session of 20000 among them; ${rounds.length} rounds`,
    '',
    '| what | times | p50 ms | p95 ms | slowest ms | bound | verdict |',
    '| --- | ---: | ---: | ---: | ---: | --- | --- |',
    ...lines.map(rowOf),
    '',
    `| scroll of ${scrolledRows} rows | rows a second | frames | with a blank place | of these the list was not loaded so far | longest frame ms | bound | verdict |`,
    '| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |',
    ...rounds.flatMap(({ scrolled }, index) => scrolled.map((at) => scrolledRow(`requests, round ${index + 1}`, at))),
    ...rounds.flatMap(({ sessionScrolled }, index) =>
      sessionScrolled.map((at) => scrolledRow(`steps of the session, round ${index + 1}`, at)),
    ),
  ].join('\n');
  return { text, isReached: scrolls.every(isSmooth) && lines.every(isWithin) };
}

function scrolledRow(what: string, at: AtRate): string {
  const { rowsPerSecond, frames, blank, held, longestFrameMs } = at;
  const judgement = rowsPerSecond > bounds.rowsPerSecond ? '– | –' : `0 blank | ${verdict(isSmooth(at))}`;
  return `| ${what} | ${rowsPerSecond} | ${frames} | ${blank} | ${held} | ${longestFrameMs.toFixed(0)} | ${judgement} |`;
}

/** A faster scroll is measured, not judged. */
function isSmooth({ rowsPerSecond, blank }: AtRate): boolean {
  return rowsPerSecond > bounds.rowsPerSecond || blank === 0;
}

function linesOf(rounds: readonly Round[]): readonly Line[] {
  const all = (read: (round: Round) => readonly number[]): readonly number[] => rounds.flatMap(read);
  const kinds = Object.keys(rounds[0]?.filters ?? {});
  const changes = rounds.flatMap(({ filters }) => Object.values(filters).flat());
  return [
    { what: 'first rows, empty cache', samples: all(({ coldRows }) => coldRows), bound: bounds.rows },
    { what: 'first rows, files in the cache', samples: all(({ warmRows }) => warmRows), bound: bounds.rows },
    { what: 'filter change to rows, all', samples: changes.map(({ rows }) => rows), bound: bounds.filter, isP95: true },
    ...kinds.map((kind): Line => ({
      what: `of these: ${kind}`,
      samples: all(({ filters }) => (filters[kind] ?? []).map(({ rows }) => rows)),
    })),
    { what: 'filter change to the exact number, all', samples: changes.map(({ count }) => count) },
    { what: 'session of 20000 requests, steps', samples: all(({ session }) => session), bound: bounds.session },
    { what: 'the same, scrolled to its end', samples: all(({ sessionEnd }) => sessionEnd) },
    { what: 'JSON of 5 MB, press on Raw to text', samples: all(({ rawTab }) => rawTab), bound: bounds.body },
    { what: 'the same, address to text', samples: all(({ rawAddress }) => rawAddress), bound: bounds.body },
    { what: 'overview of 30 days, all charts', samples: all(({ overview }) => overview) },
  ];
}

function judged({ samples, isP95 }: Line): number {
  return isP95 === true ? timesOf(samples).p95 : Math.max(...samples);
}

function isWithin(line: Line): boolean {
  return line.bound === undefined || judged(line) <= line.bound;
}

function rowOf(line: Line): string {
  const { what, samples, bound, isP95 } = line;
  const { p50, p95 } = timesOf(samples);
  const times = [p50, p95, Math.max(...samples)].map((ms) => ms.toFixed(0)).join(' | ');
  const bounded = bound === undefined ? '–' : `${isP95 === true ? 'p95' : 'slowest'} ≤ ${bound}`;
  return `| ${what} | ${samples.length} | ${times} | ${bounded} | ${bound === undefined ? '–' : verdict(isWithin(line))} |`;
}

function verdict(isReached: boolean): string {
  return isReached ? 'reached' : 'missed';
}
