import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { GatelogError } from '../../model/errors.ts';
import type { HasFreeSpace } from '../../platform/disk-space.ts';
import { insertRows, rowsIntoFile } from '../../sql/commands.ts';
import { select } from '../../sql/query.ts';
import { compileForAll } from '../../sql/statement.ts';
import type { Connections } from '../engine/connections.ts';
import { runWrite } from '../engine/disk-space.ts';
import { storeFailure } from '../engine/failure.ts';
import { parameterTexts } from '../engine/parameters.ts';
import { runCommand } from '../engine/statements.ts';
import { prepareVeryLargeRows, veryLarge } from '../insert/very-large-rows.ts';
import { columnList, type CopiedTable } from './copied-tables.ts';
import { rowsWithin } from './digests.ts';
import { laneSettings } from './lane-settings.ts';
import type { Piece } from './pieces.ts';

const mebibyte = 1024 * 1024;

/**
 * Blocks are cut by bytes, because a row of `bodies` has some hundred bytes or some megabytes, each block becomes a part, and the token
 * protects each block. TRICKY: they must be cut alike in each try, so one thread reads them.
 */
const settings = {
  async_insert: 0,
  insert_deduplicate: 1,
  deduplicate_insert: 'enable',
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
  /** Of that folder's disk. */
  readonly hasFreeSpace: HasFreeSpace;
}

export interface MovedPiece {
  readonly table: CopiedTable;
  readonly piece: Piece;
  /** Names the rows: what has been stored under it is not stored again. */
  readonly token: string;
}

/** Runs work again while a store is away. */
export type Patiently = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Copies the rows of a piece, through a file, which stays the same in each try. @throws GatelogError when a store fails, or has no room. */
export async function moveRows({ from, to, folder, hasFreeSpace }: CopyEnds, { table, piece, token }: MovedPiece, patiently: Patiently) {
  const file = path.join(path.resolve(folder), `${table.name}-${token}.rows`);
  try {
    await patiently(async () => {
      // An embedded store writes them to the same disk.
      if (!hasFreeSpace(to.embedded ? 2 * piece.bytes : piece.bytes)) throw fullDisk(folder);
      await rm(file, { force: true });
      await writeRows(from, table, piece, file);
    });
    await patiently(() => readRowsFrom(to, { table, piece, token }, file));
  } finally {
    await rm(file, { force: true });
  }
}

function fullDisk(folder: string): GatelogError {
  return new GatelogError('store_unavailable', `The disk of ${folder} has no room for the rows that are copied next.`);
}

async function writeRows(from: Connections, table: CopiedTable, piece: Piece, file: string): Promise<void> {
  const rows = select({ columns: columnList(table.columns), from: rowsWithin(table, piece) });
  try {
    if (from.embedded) {
      const statement = compileForAll(rowsIntoFile(rows, file));
      await from.run('copy', (client) => runCommand({ client, embedded: true }, statement, laneSettings));
      return;
    }
    const { text, params } = compileForAll(rows);
    await from.run('copy', async (client) => {
      const query_params = Object.fromEntries(parameterTexts(text, params));
      const { stream } = await client.exec({ query: `${text} FORMAT RowBinary`, query_params, clickhouse_settings: { ...laneSettings } });
      await pipeline(stream, createWriteStream(file, { mode: 0o600 }));
    });
  } catch (error) {
    throw storeFailure(error);
  }
}

async function readRowsFrom(to: Connections, { table, piece, token }: MovedPiece, file: string): Promise<void> {
  const isEmbedded = to.embedded;
  const ofFile = isEmbedded ? { use_hive_partitioning: 0 } : {};
  const into = { table: table.name, columns: table.columns, settings: { ...settings, ...ofFile, insert_deduplication_token: token } };
  const query = compileForAll(insertRows(into, isEmbedded ? { format: 'RowBinary', file } : { format: 'RowBinary' })).text;
  try {
    await runWrite(to, 'copy', async (client) => {
      if (isEmbedded && table.name === 'bodies' && piece.largest > veryLarge) await prepareVeryLargeRows(client);
      await executed(client, isEmbedded ? { query } : { query, values: createReadStream(file) });
    });
  } catch (error) {
    throw storeFailure(error);
  }
}

async function executed(client: ClickHouseClient, statement: Parameters<ClickHouseClient['exec']>[0]): Promise<void> {
  const { stream } = await client.exec(statement);
  for await (const chunk of stream) void chunk;
}
