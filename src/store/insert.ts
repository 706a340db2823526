import { Readable } from 'node:stream';
import type { ClickHouseClient, ExecParams } from '@clickhouse/client';
import type { Connections, LaneName } from './connections.ts';
import { storeFailure } from './failure.ts';
import { textLiteral } from './parameters.ts';
import { runWrite } from './room.ts';
import { joinedRows } from './tables/row-writer.ts';
import { type RecordTable, rowColumns, rowStructures } from './tables/rows.ts';

/** A token stands in the SQL as it is. */
const plainToken = /^[\w.-]+$/;

/** TRICKY: one block an insert, whatever the number of cores; the token protects whole blocks, and parallel parsing would cut them anew each time. */
const settings = [
  'input_format_parallel_parsing = 0',
  'async_insert = 0',
  'max_block_size = 10000000',
  'max_insert_block_size = 10000000',
  'min_insert_block_size_rows = 10000000',
  `min_insert_block_size_bytes = ${2 * 1024 * 1024 * 1024}`,
  'max_threads = 1',
  'max_insert_threads = 1',
  // A null in a column that has none is the column's default.
  'input_format_null_as_default = 1',
].join(', ');

/** Connections that insert. */
type InsertLane = Extract<LaneName, 'insert' | 'history'>;

/** Inserts rows, durably, at most once for a token. */
export type InsertRows = (table: RecordTable, rows: readonly Uint8Array[], token: string) => Promise<void>;

/**
 * Makes the function that inserts. `rows` are as `rowsOf` writes them. The token names the batch: the store drops an insert whose
 * token it has seen, so a retry after an unclear answer adds nothing. @param lane whose work does not wait for other inserts.
 * @throws (from it) GatelogError; `isRejection` tells rows that can never be stored from a store that is away.
 */
export function makeInsertRows(connections: Connections, lane: InsertLane = 'insert'): InsertRows {
  return async (table, rows, token) => {
    const pieces = joinedRows(rows);
    if (pieces.every(({ length }) => length === 0)) return;
    const into = statementInto(table, rowColumns[table], token);
    await insertThrough(connections, lane, (client) => {
      const { rowFiles } = connections;
      if (rowFiles === undefined) return execute(client, { query: `${into} FORMAT RowBinary`, values: Readable.from(pieces) });
      // TRICKY: the embedded engine takes rows in a statement as text alone, which it takes twice the time to read, and the statement has to be copied often.
      return rowFiles.with(pieces, (file) =>
        execute(client, { query: `${into} SELECT * FROM file(${textLiteral(file)}, RowBinary, ${textLiteral(rowStructures[table])})` }),
      );
    });
  };
}

/** Lines of JSONCompactEachRow for a table. */
export interface TableLines {
  readonly table: string;
  readonly columns: readonly string[];
  readonly lines: string;
  /** Names the batch; see {@link makeInsertRows}. */
  readonly token: string;
}

/** Inserts few lines. @throws GatelogError. */
export async function insertLines(connections: Connections, lane: InsertLane, { table, columns, lines, token }: TableLines): Promise<void> {
  if (lines === '') return;
  const query = `${statementInto(table, columns, token)} FORMAT JSONCompactEachRow`;
  // As a text, not as its bytes: the embedded connection would decode those again, all at once.
  await insertThrough(connections, lane, (client) => execute(client, { query, values: Readable.from([lines]) }));
}

async function insertThrough(
  connections: Connections,
  lane: InsertLane,
  insert: (client: ClickHouseClient) => Promise<void>,
): Promise<void> {
  try {
    await runWrite(connections, lane, insert);
  } catch (error) {
    throw storeFailure(error);
  }
}

/** Runs a statement to its end. */
async function execute(client: ClickHouseClient, statement: ExecParams & { readonly values?: Readable }): Promise<void> {
  const { stream } = await client.exec(statement);
  for await (const chunk of stream) void chunk;
}

/**
 * The beginning of an insert.
 * TRICKY: settings stand in the statement itself. The embedded connection would write those of the client in front of it, as statements of their own,
 * and of several statements with rows behind them the engine reads the rows several times: that took up to three times the CPU. And they would stick to the
 * connection, so that an insert without a token had the token of the one before, and was dropped.
 */
function statementInto(table: string, columns: readonly string[], token: string): string {
  if (!plainToken.test(token)) throw new TypeError('An insert token is made of letters, digits, "." and "-".');
  return `INSERT INTO ${table} (${columns.join(', ')}) SETTINGS ${settings}, insert_deduplication_token = '${token}'`;
}
