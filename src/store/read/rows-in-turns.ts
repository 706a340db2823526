import { Slices } from '../../platform/bounds/slices.ts';

/** A row as the engine's client gives it: text that is not parsed yet. */
interface UnparsedRow {
  readonly json: () => Record<string, unknown>;
}

/**
 * Parses and decodes rows, and gives way between them. TRICKY: the embedded engine puts out all rows at once, and the client's own `json`
 * parses those in one turn of the event loop, which took tenths of a second. @param owner of the rows.
 */
export async function rowsInTurns<Row>(
  chunks: AsyncIterable<readonly UnparsedRow[]>,
  owner: string,
  decode: (row: Record<string, unknown>) => Row,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const chunk of chunks) {
    // The wait for the engine is no work: a read of few rows never gives way.
    const slices = new Slices(owner);
    for (const row of chunk) {
      rows.push(decode(row.json()));
      await slices.turn();
    }
  }
  return rows;
}
