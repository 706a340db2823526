import { Readable } from 'node:stream';
import type { Connections, LaneName } from './connections.ts';
import { storeFailure } from './failure.ts';
import { runWrite } from './room.ts';
import { type RecordTable, rowColumns } from './tables/rows.ts';

/** A token stands in the SQL as it is. */
const plainToken = /^[\w.-]+$/;

/** How rows are read. TRICKY: one block an insert, whatever the number of cores; the token protects whole blocks, and parallel parsing would cut them anew each time. */
const settings = [
  'input_format_parallel_parsing = 0',
  'async_insert = 0',
  'max_insert_block_size = 10000000',
  'min_insert_block_size_rows = 10000000',
  `min_insert_block_size_bytes = ${2 * 1024 * 1024 * 1024}`,
  // A null in a column that has none is the column's default, and so is a cell that is missing at the end of a line.
  'input_format_null_as_default = 1',
  'input_format_json_compact_allow_variable_number_of_columns = 1',
].join(', ');

/** Connections that insert. */
type InsertLane = Extract<LaneName, 'insert' | 'history'>;

/** Inserts rows, durably, at most once for a token. */
export type InsertRows = (table: RecordTable, rows: string, token: string) => Promise<void>;

/**
 * Makes the function that inserts. `rows` are lines as `rowsOf` writes them. The token names the batch: the store drops an insert whose
 * token it has seen, so a retry after an unclear answer adds nothing. @param lane whose work does not wait for other inserts.
 * @throws (from it) GatelogError; `isRejection` tells rows that can never be stored from a store that is away.
 */
export function makeInsertRows(connections: Connections, lane: InsertLane = 'insert'): InsertRows {
  return (table, lines, token) => insertLines(connections, lane, { table, columns: rowColumns[table], lines, token });
}

/** Lines of JSONCompactEachRow for a table. */
export interface TableLines {
  readonly table: string;
  readonly columns: readonly string[];
  readonly lines: string;
  /** Names the batch; see {@link makeInsertRows}. */
  readonly token: string;
}

/**
 * Inserts lines, durably. @throws GatelogError.
 * TRICKY: settings stand in the statement itself. The embedded connection would write those of the client in front of it, as statements of their own,
 * and of several statements with rows behind them the engine reads the rows several times: that took up to three times the CPU. And they would stick to the
 * connection, so that an insert without a token had the token of the one before, and was dropped.
 */
export async function insertLines(connections: Connections, lane: InsertLane, { table, columns, lines, token }: TableLines): Promise<void> {
  if (lines === '') return;
  if (!plainToken.test(token)) throw new TypeError('An insert token is made of letters, digits, "." and "-".');
  try {
    await runWrite(connections, lane, async (client) => {
      const result = await client.exec({
        query: `INSERT INTO ${table} (${columns.join(', ')}) SETTINGS ${settings}, insert_deduplication_token = '${token}' FORMAT JSONCompactEachRow`,
        // As a text, not as its bytes: the embedded connection would decode those again, all at once.
        values: Readable.from([lines]),
      });
      for await (const chunk of result.stream) void chunk;
    });
  } catch (error) {
    throw storeFailure(error);
  }
}
