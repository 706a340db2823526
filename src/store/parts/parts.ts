import type { Connections } from '../engine/connections.ts';
import { storeFailure } from '../engine/failure.ts';

/** One part of a table: a folder of files that never change. */
export interface StorePart {
  readonly table: string;
  readonly name: string;
  readonly folder: string;
  /** Rows of records; those of a patch, which changes rows of other parts, do not count. */
  readonly rows: number;
}

/** What the tables are made of at one moment. */
export interface StoreParts {
  /** Number of the last step of the schema. */
  readonly step: number;
  readonly parts: readonly StorePart[];
}

/** Lists the parts of all tables. */
export type ListParts = () => Promise<StoreParts>;

interface PartRow extends Omit<StorePart, 'rows'> {
  readonly rows: number | string;
}

const columns = `table, name, path AS folder, if(startsWith(name, 'patch-'), 0, rows) AS rows`;
const partsOf = (tables: string): string =>
  `SELECT ${columns} FROM system.parts WHERE database = currentDatabase() AND active AND table != 'schema_migrations' AND table ${tables} ORDER BY table, name`;
const stepQuery = 'SELECT max(number) AS step FROM schema_migrations';

/**
 * Makes the function that lists parts, patches of pending updates among them, which `ALTER TABLE … FREEZE` leaves out. A merge may
 * replace a listed part, whose files go about a second later.
 * TRICKY: `requests` is listed first. A change is in its history before it is in the row, so that what is listed later has the history of every row.
 * @throws (from it) GatelogError; undefined for a ClickHouse server, whose files are elsewhere.
 */
export function makeListParts(connections: Connections): ListParts | undefined {
  if (!connections.embedded) return undefined;
  return async () => {
    try {
      return await connections.run('history', async (client) => {
        const rowsOf = async <Row>(query: string): Promise<readonly Row[]> =>
          (await client.query({ query, format: 'JSONEachRow' })).json<Row>();
        const found = [...(await rowsOf<PartRow>(partsOf(`= 'requests'`))), ...(await rowsOf<PartRow>(partsOf(`!= 'requests'`)))];
        const [last] = await rowsOf<{ readonly step: number | string }>(stepQuery);
        return { step: Number(last?.step ?? 0), parts: found.map((part) => ({ ...part, rows: Number(part.rows) })) };
      });
    } catch (error) {
      throw storeFailure(error);
    }
  };
}
