import type { Connections } from '../engine/connections.ts';
import { storeFailure } from '../engine/failure.ts';

export interface StorePart {
  readonly table: string;
  readonly name: string;
  readonly folder: string;
  /** 0 for a patch part, which only changes rows of other parts. */
  readonly rows: number;
}

/** The parts of all tables at one moment. */
export interface StoreParts {
  /** The number of the last schema step. */
  readonly step: number;
  readonly parts: readonly StorePart[];
}

export type ListParts = () => Promise<StoreParts>;

interface PartRow extends Omit<StorePart, 'rows'> {
  readonly rows: number | string;
}

const columns = `table, name, path AS folder, if(startsWith(name, 'patch-'), 0, rows) AS rows`;
const partsOf = (tables: string): string =>
  `SELECT ${columns} FROM system.parts WHERE database = currentDatabase() AND active AND table != 'schema_migrations' AND table ${tables} ORDER BY table, name`;
const stepQuery = 'SELECT max(number) AS step FROM schema_migrations';

/**
 * The list includes patch parts of pending updates, which `ALTER TABLE … FREEZE` leaves out. A merge may replace a listed part; its files
 * then remain for about a second.
 * TRICKY: `requests` is listed first. A change is in the history before it is in the row, so the parts listed later have the history of
 * every row. `body_moves` is too: `bodies` has what it tells.
 * @returns undefined for a ClickHouse server, whose files are elsewhere.
 * @throws (from the function) GatelogError.
 */
export function makeListParts(connections: Connections): ListParts | undefined {
  if (!connections.embedded) return undefined;
  return async () => {
    try {
      return await connections.run('history', async (client) => {
        const rowsOf = async <Row>(query: string): Promise<readonly Row[]> =>
          (await client.query({ query, format: 'JSONEachRow' })).json<Row>();
        const found = [
          ...(await rowsOf<PartRow>(partsOf(`IN ('requests', 'body_moves')`))),
          ...(await rowsOf<PartRow>(partsOf(`NOT IN ('requests', 'body_moves')`))),
        ];
        const [last] = await rowsOf<{ readonly step: number | string }>(stepQuery);
        return { step: Number(last?.step ?? 0), parts: found.map((part) => ({ ...part, rows: Number(part.rows) })) };
      });
    } catch (error) {
      throw storeFailure(error);
    }
  };
}
