import { printable } from '../../config/text-table.ts';
import { cellsOf, cut, padded } from './cells.ts';
import type { Colour, Paint } from '../base/paint.ts';

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly colour?: (row: Row) => Colour | undefined;
  /** `right`: numbers, whose last digits stand under each other. */
  readonly side?: 'left' | 'right';
  /** Cells that must be left when it is cut; without it nothing of it is cut. */
  readonly minWidth?: number;
  /** Cells that are left to it while others can still be cut. */
  readonly keep?: number;
  /** Shown on terminals of this width or more. */
  readonly from?: number;
  /** Cells that it takes at most on a terminal. */
  readonly maxWidth?: number;
  /** Its spaces stay: the lines of a tree, or of a series. */
  readonly isDrawn?: true;
}

interface Placed<Row> extends Column<Row> {
  readonly width: number;
}

/** How wide columns are, and which found no room. */
export interface Layout<Row> {
  readonly columns: readonly Placed<Row>[];
  readonly leftOut: readonly string[];
}

const gap = '  ';

/** Where the columns of a table stand. @param width of the terminal; undefined: nothing is cut. The last columns are left out first. */
export function layoutOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number | undefined): Layout<Row> {
  const shown = columns.filter(({ from = 0 }) => width === undefined || width >= from);
  const natural = shown.map((column) => {
    const widest = Math.max(cellsOf(printable(column.title)), ...rows.map((row) => cellsOf(lineOf(column, row))));
    return { ...column, width: width === undefined ? widest : Math.min(widest, column.maxWidth ?? widest) };
  });
  if (width === undefined) return { columns: natural, leftOut: [] };
  for (let count = natural.length; count > 1; count -= 1) {
    const fitted = fit(natural.slice(0, count), width);
    if (fitted !== undefined) return { columns: fitted, leftOut: natural.slice(count).map(({ title }) => title) };
  }
  const [first] = natural;
  return {
    columns: first === undefined ? [] : [{ ...first, width: Math.min(first.width, width) }],
    leftOut: natural.slice(1).map(({ title }) => title),
  };
}

/** Cuts the widest columns that can be cut. @returns undefined when they do not fit. */
function fit<Row>(columns: readonly Placed<Row>[], width: number): readonly Placed<Row>[] | undefined {
  const widths = columns.map((column) => column.width);
  const minWidths = columns.map(({ minWidth = Infinity }) => minWidth);
  const kept = columns.map(({ minWidth = Infinity, keep = minWidth }) => keep);
  let excess = widths.reduce((sum, each) => sum + each, gap.length * (columns.length - 1)) - width;
  for (; excess > 0; excess -= 1) {
    const widest = widestOver(widths, kept) ?? widestOver(widths, minWidths);
    if (widest === undefined) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return columns.map((column, index) => ({ ...column, width: widths[index] ?? 0 }));
}

/** The widest column that is wider than it has to be. */
function widestOver(widths: readonly number[], floors: readonly number[]): number | undefined {
  let widest: number | undefined;
  for (const [index, width] of widths.entries()) {
    if (width > (floors[index] ?? 0) && width > (widest === undefined ? 0 : (widths[widest] ?? 0))) widest = index;
  }
  return widest;
}

export function headOf<Row>({ columns }: Layout<Row>, paint: Paint): string {
  return joined(columns.map(({ title, width, side }) => [printable(title), width, side, (text) => paint('bold', text)]));
}

export function rowOf<Row>({ columns }: Layout<Row>, row: Row, paint: Paint): string {
  return joined(
    columns.map((column) => {
      const { width, side, colour } = column;
      const chosen = colour?.(row);
      return [lineOf(column, row), width, side, (shown) => (chosen === undefined ? shown : paint(chosen, shown))];
    }),
  );
}

/** A whole table. */
export function tableText<Row>(layout: Layout<Row>, rows: readonly Row[], paint: Paint): string {
  return [headOf(layout, paint), ...rows.map((row) => rowOf(layout, row, paint))].join('\n');
}

type Cell = readonly [text: string, width: number, side: Column<unknown>['side'], shown: (text: string) => string];

/** Colours end before the spaces. */
function joined(cells: readonly Cell[]): string {
  return cells
    .map(([text, width, side, shown]) => {
      const short = cut(text, width);
      return padded(short, width, side === 'right' ? 'right' : 'left').replace(short, () => shown(short));
    })
    .join(gap)
    .trimEnd();
}

/** A text in one line in which nothing moves the cursor. */
function lineOf<Row>({ text, isDrawn }: Column<Row>, row: Row): string {
  const whole = text(row);
  return printable(isDrawn === true ? whole : whole.replaceAll(/\s+/g, ' '));
}
