import type { CommandDependencies } from '../base/dependencies.ts';
import { jsonText } from '../base/json.ts';
import { painter, type Paint } from '../base/paint.ts';
import { type Column, headOf, layoutOf, rowOf } from './table.ts';

/** Fewer cells make no table. */
const fewestCells = 20;

export function paintOf({ isColoured }: CommandDependencies): Paint {
  return painter(isColoured);
}

/** Prints a table page by page; the first page decides how wide its columns are. */
export function tableWriter<Row>(dependencies: CommandDependencies, columns: readonly Column<Row>[]) {
  const paint = paintOf(dependencies);
  let layout: ReturnType<typeof layoutOf<Row>> | undefined;
  return {
    add: async (rows: readonly Row[]): Promise<void> => {
      if (rows.length === 0) return;
      const lines: string[] = [];
      if (layout === undefined) {
        const width = dependencies.columns === undefined ? undefined : Math.max(fewestCells, dependencies.columns);
        layout = layoutOf(columns, rows, width);
        lines.push(headOf(layout, paint));
      }
      for (const row of rows) lines.push(rowOf(layout, row, paint));
      await writeLines(dependencies, lines);
    },
    /** Titles of columns that found no room. */
    leftOut: (): readonly string[] => layout?.leftOut ?? [],
  };
}

export interface RowStyle<Row> {
  readonly columns: readonly Column<Row>[];
  /** A line of JSON for each row in place of a table. */
  readonly json: true | undefined;
  /** What JSON has of a row, unless all. */
  readonly values?: (row: Row) => unknown;
}

/** Prints rows for people or for programs, page by page. */
export function rowWriter<Row>(
  dependencies: CommandDependencies,
  { columns, json, values = (row) => row }: RowStyle<Row>,
): ReturnType<typeof tableWriter<Row>> {
  if (json !== true) return tableWriter(dependencies, columns);
  const add = (rows: readonly Row[]): Promise<void> => {
    const lines = rows.map((row) => jsonText(values(row)));
    return writeLines(dependencies, lines);
  };
  return { add, leftOut: () => [] };
}

/** Prints all rows of a list. @param style `none` is said to people where there are none. */
export async function writeRows<Row>(
  dependencies: CommandDependencies,
  rows: readonly Row[],
  style: RowStyle<Row> & { readonly none: string },
): Promise<void> {
  await rowWriter(dependencies, style).add(rows);
  if (rows.length === 0 && style.json !== true) dependencies.hint(style.none);
}

/** Writes as fast as the reader takes it. */
export async function writeLines({ write }: CommandDependencies, lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await write(Buffer.from(`${lines.join('\n')}\n`));
}
