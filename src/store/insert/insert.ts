import { Readable } from 'node:stream';
import type { ClickHouseClient, ExecParams } from '@clickhouse/client';
import { type CommandSettings, insertRows, type RowSource } from '../../sql/commands.ts';
import { compileForAll } from '../../sql/statement.ts';
import type { OrganizationTable } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import type { LaneName } from '../engine/lanes.ts';
import { storeFailure } from '../engine/failure.ts';
import { runWrite } from '../engine/disk-space.ts';
import { joinedRows } from './row-writer.ts';
import { type RecordTable, rowColumns } from './rows.ts';
import { VeryLargeRows } from './very-large-rows.ts';

/** Tokens stand unquoted in the SQL. */
const plainToken = /^[\w.-]+$/;

/**
 * TRICKY: one block per insert, whatever the number of cores: the token protects whole blocks, and parallel reading, or the engine's
 * default block size, would cut them differently each time.
 */
const settings = {
  input_format_parallel_parsing: 0,
  async_insert: 0,
  max_block_size: 10_000_000,
  max_insert_block_size: 10_000_000,
  min_insert_block_size_rows: 10_000_000,
  min_insert_block_size_bytes: 2 * 1024 * 1024 * 1024,
  max_threads: 1,
  max_insert_threads: 1,
  // An import may hold records of many months in any order. The engine would refuse more than 100 partitions.
  max_partitions_per_insert_block: 0,
  // A null in a non-nullable column becomes its default.
  input_format_null_as_default: 1,
};

/** TRICKY: the engine reads a folder like `a=b` as a column. */
const settingsOfFile = { ...settings, use_hive_partitioning: 0 };

type InsertLane = Extract<LaneName, 'insert' | 'history'>;

/** Inserts rows durably, at most once per token. @param beforeSent is called right before the rows are read, and may change them. */
export type InsertRows = (table: RecordTable, rows: readonly Uint8Array[], token: string, beforeSent?: () => void) => Promise<void>;

/**
 * Makes the function that inserts rows of `rowsOf`. The token names the batch: the store drops an insert whose token it has seen, so a
 * retry after an unclear answer adds nothing. @param lane does not wait for other inserts. @throws (from it) GatelogError; `isRejection`
 * separates rows that can never be stored from a store that is away.
 */
export function makeInsertRows(connections: Connections, lane: InsertLane = 'insert'): InsertRows {
  const veryLarge = new VeryLargeRows();
  return async (table, rows, token, beforeSent) => {
    const pieces = joinedRows(rows);
    if (pieces.every(({ length }) => length === 0)) return;
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    const { rowFiles } = connections;
    const insert = async (client: ClickHouseClient): Promise<void> => {
      if (connections.embedded && table === 'bodies') await veryLarge.prepare(client, rows);
      beforeSent?.();
      const columns = rowColumns[table];
      if (rowFiles === undefined) {
        const query = statementInto({ table, columns, token, settings }, { format: 'RowBinary' });
        return execute(client, { query, values: Readable.from(pieces) });
      }
      // TRICKY: in a statement the embedded engine accepts rows only as text, which takes twice the time to read; and planning a selection
      // from the file costs a quarter of an insert of few rows.
      return rowFiles.with(pieces, (file) => {
        const query = statementInto({ table, columns, token, settings: settingsOfFile }, { file, format: 'RowBinary' });
        return execute(client, { query });
      });
    };
    // The file is on the store's disk as well.
    await insertThrough(connections, lane, { insert, bytes: rowFiles === undefined ? 0 : bytes });
  };
}

/** Lines of JSONCompactEachRow for a table. */
export interface TableLines {
  readonly table: OrganizationTable;
  readonly columns: readonly string[];
  readonly lines: string;
  /** Names the batch; see {@link makeInsertRows}. */
  readonly token: string;
}

/** Inserts a few lines. @throws GatelogError. */
export async function insertLines(connections: Connections, lane: InsertLane, { table, columns, lines, token }: TableLines): Promise<void> {
  if (lines === '') return;
  const query = statementInto({ table, columns, token, settings }, { format: 'JSONCompactEachRow' });
  // As text, because the embedded connection would decode bytes all at once.
  await insertThrough(connections, lane, { insert: (client) => execute(client, { query, values: Readable.from([lines]) }), bytes: 0 });
}

/** An insert, and its bytes on the store's disk beside the engine's own writes. */
interface Insertion {
  readonly insert: (client: ClickHouseClient) => Promise<void>;
  readonly bytes: number;
}

async function insertThrough(connections: Connections, lane: InsertLane, { insert, bytes }: Insertion): Promise<void> {
  try {
    await runWrite(connections, lane, insert, bytes);
  } catch (error) {
    throw storeFailure(error);
  }
}

async function execute(client: ClickHouseClient, statement: ExecParams & { readonly values?: Readable }): Promise<void> {
  const { stream } = await client.exec(statement);
  for await (const chunk of stream) void chunk;
}

interface Into extends Omit<TableLines, 'lines'> {
  readonly settings: CommandSettings;
}

/**
 * An insert without its rows.
 * TRICKY: its settings are in the statement itself. The embedded connection would send the client's settings as statements of their own in
 * front, and with several statements the engine reads the rows several times, which took up to three times the CPU. And they would stay on
 * the connection: an insert without a token would get the token of the one before, and be dropped.
 */
function statementInto({ table, columns, token, settings: set }: Into, source: RowSource): string {
  if (!plainToken.test(token)) throw new TypeError('An insert token is made of letters, digits, "." and "-".');
  return compileForAll(insertRows({ table, columns, settings: { ...set, insert_deduplication_token: token } }, source)).text;
}
