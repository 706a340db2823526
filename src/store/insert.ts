import { Readable } from 'node:stream';
import type { Connections, LaneName } from './connections.ts';
import { storeFailure } from './failure.ts';
import { runWrite } from './room.ts';
import { type RecordTable, rowColumns } from './tables/rows.ts';

/** TRICKY: the embedded connection writes a setting into its SQL and does not escape backslashes, so a token must need no escaping. */
const plainToken = /^[\w.-]+$/;

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
 * TRICKY: every insert of a lane goes through here. In the embedded engine settings stick to the connection, and one without a token would have the
 * token of the one before, and be dropped.
 */
export async function insertLines(connections: Connections, lane: InsertLane, { table, columns, lines, token }: TableLines): Promise<void> {
  if (lines === '') return;
  if (!plainToken.test(token)) throw new TypeError('An insert token is made of letters, digits, "." and "-".');
  try {
    await runWrite(connections, lane, async (client) => {
      const result = await client.exec({
        query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT JSONCompactEachRow`,
        // As a text, not as its bytes: the embedded connection would decode those again, all at once.
        values: Readable.from([lines]),
        // TRICKY: one block an insert, whatever the number of cores; the token protects whole blocks, and parallel parsing would cut them anew each time.
        clickhouse_settings: {
          insert_deduplication_token: token,
          input_format_parallel_parsing: 0,
          async_insert: 0,
          max_insert_block_size: '10000000',
          min_insert_block_size_rows: '10000000',
          min_insert_block_size_bytes: String(2 * 1024 * 1024 * 1024),
          // A null in a column that has none is the column's default, and so is a cell that is missing at the end of a line.
          input_format_null_as_default: 1,
          input_format_json_compact_allow_variable_number_of_columns: 1,
        },
      });
      for await (const chunk of result.stream) void chunk;
    });
  } catch (error) {
    throw storeFailure(error);
  }
}
