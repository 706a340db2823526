import type { CommandDependencies } from '../dependencies.ts';
import { painter, type Paint } from './paint.ts';
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

/** Writes as fast as the reader takes it. */
export async function writeLines({ write }: CommandDependencies, lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await write(Buffer.from(`${lines.join('\n')}\n`));
}
