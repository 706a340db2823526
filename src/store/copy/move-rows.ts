import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { insertRows, rowsIntoFile } from '../../sql/commands.ts';
import { select } from '../../sql/query.ts';
import { compileForAll } from '../../sql/statement.ts';
import type { Connections } from '../engine/connections.ts';
import { assertFreeSpace, runWrite } from '../engine/disk-space.ts';
import { storeFailure } from '../engine/failure.ts';
import { parameterTexts } from '../engine/parameters.ts';
import { runCommand } from '../engine/statements.ts';
import { columnList, type CopiedTable } from './copied-tables.ts';
import { rowsWithin } from './digests.ts';
import type { Piece } from './pieces.ts';

const mebibyte = 1024 * 1024;

/**
 * Not under a token: the rows of a piece are compared afterwards, and one that was removed and is written again with the same rows would be
 * dropped. Blocks are bounded by bytes, because a row of `bodies` has some hundred bytes or some megabytes, and each block becomes a part.
 */
const settings = {
  insert_deduplicate: 0,
  deduplicate_insert: 'disable',
  async_insert: 0,
  max_partitions_per_insert_block: 0,
  max_block_size: 65_536,
  max_insert_block_size: 65_536,
  input_format_max_block_size_bytes: 16 * mebibyte,
  min_insert_block_size_rows: 1_000_000,
  min_insert_block_size_bytes: 64 * mebibyte,
  max_threads: 1,
  max_insert_threads: 1,
  input_format_parallel_parsing: 0,
};

export interface CopyEnds {
  readonly from: Connections;
  readonly to: Connections;
  /** For the rows of one piece at a time. */
  readonly folder: string;
}

/** Copies the rows of a piece, through a file. @throws GatelogError when a store fails, or has no room. */
export async function moveRows({ from, to, folder }: CopyEnds, table: CopiedTable, piece: Piece): Promise<void> {
  const file = path.join(path.resolve(folder), `${table.name}.rows`);
  // The file is in the data folder, where an embedded store is as well.
  for (const end of [from, to]) assertFreeSpace(end, piece.bytes);
  try {
    await rm(file, { force: true });
    await writeRows(from, table, piece, file);
    await readRowsFrom(to, table, file);
  } catch (error) {
    throw storeFailure(error);
  } finally {
    await rm(file, { force: true });
  }
}

async function writeRows(from: Connections, table: CopiedTable, piece: Piece, file: string): Promise<void> {
  const rows = select({ columns: columnList(table.columns), from: rowsWithin(table, piece) });
  if (from.embedded) {
    const statement = compileForAll(rowsIntoFile(rows, file));
    await from.run('copy', (client) => runCommand({ client, embedded: true }, statement));
    return;
  }
  const { text, params } = compileForAll(rows);
  await from.run('copy', async (client) => {
    const query_params = Object.fromEntries(parameterTexts(text, params));
    const { stream } = await client.exec({ query: `${text} FORMAT RowBinary`, query_params });
    await pipeline(stream, createWriteStream(file, { mode: 0o600 }));
  });
}

async function readRowsFrom(to: Connections, table: CopiedTable, file: string): Promise<void> {
  const isEmbedded = to.embedded;
  const into = { table: table.name, columns: table.columns, settings: isEmbedded ? { ...settings, use_hive_partitioning: 0 } : settings };
  const query = compileForAll(insertRows(into, isEmbedded ? { format: 'RowBinary', file } : { format: 'RowBinary' })).text;
  await runWrite(to, 'copy', async (client) => executed(client, isEmbedded ? { query } : { query, values: createReadStream(file) }));
}

async function executed(client: ClickHouseClient, statement: Parameters<ClickHouseClient['exec']>[0]): Promise<void> {
  const { stream } = await client.exec(statement);
  for await (const chunk of stream) void chunk;
}
