import type { ClickHouseClient } from '@clickhouse/client';
import { attachTable, detachTable } from '../../sql/commands.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, isStoreTable } from '../../sql/tables.ts';
import { openConnections } from '../engine/open-connections.ts';
import { storeFailure } from '../engine/failure.ts';
import { runCommand } from '../engine/statements.ts';
import { migrateStore } from '../schema/migrate.ts';

export interface PartsToRestore {
  /** The schema step under which the parts were made. */
  readonly step: number;
  /** Total rows of each table's parts. */
  readonly rows: Readonly<Record<string, number>>;
  /** Puts a table's parts into its folder. */
  readonly place: (table: string, folder: string) => Promise<void>;
}

/**
 * Makes an embedded store in an empty folder from the parts of another store.
 * TRICKY: the parts keep their names. `ATTACH PART` would number them again, and rows of a merged part would share the row numbers by which
 * updates find theirs with other rows.
 * @throws GatelogError; another error when rows are missing.
 */
export async function restoreParts(folder: string, { step, rows, place }: PartsToRestore): Promise<void> {
  const connections = openConnections({ folder });
  try {
    await migrateStore(connections, () => undefined, step);
    await connections.run('insert', async (client) => {
      for (const [table, count] of Object.entries(rows)) {
        const tableFolder = await folderOf(client, table);
        if (tableFolder === undefined || !isStoreTable(table)) throw unknownTable(table);
        const all = acrossOrganizations(table, 'a backup holds rows of many');
        const lane = { client, embedded: connections.embedded };
        await runCommand(lane, compileForAll(detachTable(all, 'now')));
        await place(table, tableFolder);
        await runCommand(lane, compileForAll(attachTable(all)));
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

async function folderOf(client: ClickHouseClient, table: string): Promise<string | undefined> {
  const query = `SELECT data_paths[1] AS folder FROM system.tables WHERE database = currentDatabase() AND name = '${table}'`;
  const [found] = await rowsOf<{ readonly folder: string }>(client, query);
  return found?.folder;
}

function unknownTable(table: string): RowsMissing {
  return new RowsMissing(`the backup has a table ${table} that this version of Gatelog does not know`);
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
