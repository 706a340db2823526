import type { ClickHouseClient } from '@clickhouse/client';
import { openConnections } from '../engine/connections.ts';
import { storeFailure } from '../engine/failure.ts';
import { migrateStore } from '../schema/migrate.ts';

/** Tables that are to be made of parts. */
export interface PartsToRestore {
  /** The step of the schema that the parts were made under. */
  readonly step: number;
  /** By table, the rows that its parts have together. */
  readonly rows: Readonly<Record<string, number>>;
  /** Puts the parts of a table into its folder. */
  readonly place: (table: string, folder: string) => Promise<void>;
}

/**
 * Makes an embedded store in an empty folder out of parts that lay in another.
 *
 * TRICKY: they keep their names, as if they had always lain there. `ATTACH PART` would number them anew, and the rows of a merged part would share the
 * numbers of rows elsewhere, by which updates find theirs.
 * @throws GatelogError, or when the rows are not as many as they were.
 */
export async function restoreParts(folder: string, { step, rows, place }: PartsToRestore): Promise<void> {
  const connections = openConnections({ folder });
  try {
    await migrateStore(connections, () => undefined, step);
    await connections.run('insert', async (client) => {
      for (const [table, count] of Object.entries(rows)) {
        const tableFolder = await folderOf(client, table);
        await client.command({ query: `DETACH TABLE ${table}` });
        await place(table, tableFolder);
        await client.command({ query: `ATTACH TABLE ${table}` });
        await checkRows(client, table, count);
      }
    });
  } catch (error) {
    throw error instanceof RowsMissing ? error : storeFailure(error);
  } finally {
    await connections.close();
  }
}

class RowsMissing extends Error {}

async function folderOf(client: ClickHouseClient, table: string): Promise<string> {
  const query = `SELECT data_paths[1] AS folder FROM system.tables WHERE database = currentDatabase() AND name = '${table}'`;
  const [found] = await rowsOf<{ readonly folder: string }>(client, query);
  if (found === undefined) throw new RowsMissing(`the backup has a table ${table} that this version of Gatelog does not know`);
  return found.folder;
}

async function checkRows(client: ClickHouseClient, table: string, expected: number): Promise<void> {
  const query = `SELECT sum(rows) AS total FROM system.parts WHERE database = currentDatabase() AND table = '${table}' AND active AND NOT startsWith(name, 'patch-')`;
  const [found] = await rowsOf<{ readonly total: number | string }>(client, query);
  if (Number(found?.total ?? 0) !== expected) {
    throw new RowsMissing(`the table ${table} has ${Number(found?.total ?? 0)} rows of the ${expected} that it had`);
  }
}

async function rowsOf<Row>(client: ClickHouseClient, query: string): Promise<readonly Row[]> {
  return (await client.query({ query, format: 'JSONEachRow' })).json<Row>();
}
