import { setTimeout as sleep } from 'node:timers/promises';
import type { Connections } from '../../src/store/engine/connections.ts';

/** What the engine tells of its tables, whatever schema they have. */

export interface TableBytes {
  readonly table: string;
  readonly rows: number;
  readonly parts: number;
  /** All files of the active parts. */
  readonly diskBytes: number;
  /** Compressed bytes of each column. */
  readonly columns: Readonly<Record<string, number>>;
  /** Of the skip indexes with their marks, by name. */
  readonly indexes: Readonly<Record<string, number>>;
}

export interface MergeCounts {
  readonly mergedRows: number;
  /** Uncompressed bytes that merges have read. */
  readonly mergedBytes: number;
  /** Time that threads have spent in merges. */
  readonly mergeMs: number;
}

const quietPolls = 4;
const pollMs = 250;
const maxSettleMs = 300_000;

async function rowsOf<Row>(connections: Connections, query: string): Promise<readonly Row[]> {
  return connections.run('control', async (client) =>
    (await client.query({ query, format: 'JSONEachRow', clickhouse_settings: { output_format_json_quote_64bit_integers: 0 } })).json<Row>(),
  );
}

/** Waits until nothing has been merged for a second. @throws after five minutes. */
export async function settle(connections: Connections): Promise<void> {
  const end = performance.now() + maxSettleMs;
  for (let quiet = 0; quiet < quietPolls;) {
    if (performance.now() > end) throw new Error('The store still merges after five minutes.');
    const [state] = await rowsOf<{ merges: number }>(connections, 'SELECT count() AS merges FROM system.merges');
    quiet = state?.merges === 0 ? quiet + 1 : 0;
    await sleep(pollMs);
  }
}

async function tableNames(connections: Connections): Promise<readonly string[]> {
  const query =
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND total_rows > 0 AND name != 'schema_migrations' ORDER BY name";
  return (await rowsOf<{ name: string }>(connections, query)).map(({ name }) => name);
}

/**
 * Merges each table to one part in each partition, which has a file for each column whatever its size: so a store is some days later, with parts
 * of gigabytes. Of a part with one file for all columns the engine would not tell what each column takes.
 */
export async function mergeWhole(connections: Connections): Promise<void> {
  for (const name of await tableNames(connections)) {
    for (const query of [`ALTER TABLE ${name} MODIFY SETTING min_bytes_for_wide_part = 0`, `OPTIMIZE TABLE ${name} FINAL`]) {
      await connections.run('update', (client) => client.command({ query, clickhouse_settings: { max_execution_time: 600 } }));
    }
  }
  await settle(connections);
}

export async function storedBytes(connections: Connections): Promise<readonly TableBytes[]> {
  const own = 'database = currentDatabase()';
  const names = await tableNames(connections);
  const parts = await rowsOf<{ table: string; rows: number; parts: number; bytes: number }>(
    connections,
    `SELECT table, sum(rows) AS rows, count() AS parts, sum(bytes_on_disk) AS bytes FROM system.parts WHERE ${own} AND active GROUP BY table`,
  );
  const columns = await rowsOf<NamedBytes>(
    connections,
    `SELECT table, column AS name, sum(column_data_compressed_bytes) AS bytes FROM system.parts_columns WHERE ${own} AND active GROUP BY table, name`,
  );
  const indexes = await rowsOf<NamedBytes>(
    connections,
    `SELECT table, name, data_compressed_bytes + marks_bytes AS bytes FROM system.data_skipping_indices WHERE ${own}`,
  );
  return parts
    .filter(({ table }) => names.includes(table))
    .map(({ table, rows, parts: count, bytes }) => ({
      table,
      rows,
      parts: count,
      diskBytes: bytes,
      columns: bytesByName(columns, table),
      indexes: bytesByName(indexes, table),
    }))
    .toSorted((left, right) => right.diskBytes - left.diskBytes);
}

interface NamedBytes {
  readonly table: string;
  readonly name: string;
  readonly bytes: number;
}

function bytesByName(all: readonly NamedBytes[], table: string): Readonly<Record<string, number>> {
  return Object.fromEntries(all.filter((one) => one.table === table).map(({ name, bytes }) => [name, bytes]));
}

/** Since the process began. */
export async function mergeCounts(connections: Connections): Promise<MergeCounts> {
  const query =
    "SELECT event, value FROM system.events WHERE event IN ('MergedRows', 'MergedUncompressedBytes', 'MergeExecuteMilliseconds')";
  const events = new Map((await rowsOf<{ event: string; value: number }>(connections, query)).map(({ event, value }) => [event, value]));
  const valueOf = (event: string): number => events.get(event) ?? 0;
  return {
    mergedRows: valueOf('MergedRows'),
    mergedBytes: valueOf('MergedUncompressedBytes'),
    mergeMs: valueOf('MergeExecuteMilliseconds'),
  };
}
