import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { insertRows, rowsIntoFile } from '../../sql/commands.ts';
import { select } from '../../sql/query.ts';
import { compileForAll } from '../../sql/statement.ts';
import type { Connections } from '../engine/connections.ts';
import { runWrite } from '../engine/disk-space.ts';
import { storeFailure } from '../engine/failure.ts';
import { parameterTexts } from '../engine/parameters.ts';
import { columnList, type CopiedTable } from './copied-tables.ts';
import { rowsWithin, type Slice } from './digests.ts';
import { runCommand } from '../engine/statements.ts';

/** Rows of a block: those of bodies may have megabytes each. */
const blockRows = 1000;

/**
 * Not under a token: the rows of a slice are compared afterwards, and one that was removed and is written again with the same rows would be
 * dropped.
 */
const settings = {
  insert_deduplicate: 0,
  deduplicate_insert: 'disable',
  async_insert: 0,
  max_partitions_per_insert_block: 0,
  max_block_size: blockRows,
  max_insert_block_size: blockRows,
  min_insert_block_size_rows: blockRows,
  max_threads: 1,
  max_insert_threads: 1,
  input_format_parallel_parsing: 0,
};

export interface CopyEnds {
  readonly from: Connections;
  readonly to: Connections;
  /** For the rows of one slice at a time, on a disk with room for them. */
  readonly folder: string;
}

/** Copies the rows of a slice, through a file. @throws GatelogError when a store fails. */
export async function moveRows({ from, to, folder }: CopyEnds, table: CopiedTable, slice: Slice): Promise<void> {
  const file = path.join(path.resolve(folder), `${table.name}.rows`);
  try {
    await rm(file, { force: true });
    await writeRows(from, table, slice, file);
    await readRowsFrom(to, table, file);
  } catch (error) {
    throw storeFailure(error);
  } finally {
    await rm(file, { force: true });
  }
}

async function writeRows(from: Connections, table: CopiedTable, slice: Slice, file: string): Promise<void> {
  const rows = select({ columns: columnList(table.columns), from: rowsWithin(table, slice) });
  if (from.embedded) {
    const statement = compileForAll(rowsIntoFile(rows, file));
    await from.run('removal', (client) => runCommand({ client, embedded: true }, statement));
    return;
  }
  const { text, params } = compileForAll(rows);
  await from.run('removal', async (client) => {
    const query_params = Object.fromEntries(parameterTexts(text, params));
    const { stream } = await client.exec({ query: `${text} FORMAT RowBinary`, query_params });
    await pipeline(stream, createWriteStream(file, { mode: 0o600 }));
  });
}

async function readRowsFrom(to: Connections, table: CopiedTable, file: string): Promise<void> {
  const into = { table: table.name, columns: table.columns, settings: to.embedded ? { ...settings, use_hive_partitioning: 0 } : settings };
  await runWrite(to, 'removal', async (client) => {
    const isEmbedded = to.embedded;
    const query = compileForAll(insertRows(into, isEmbedded ? { format: 'RowBinary', file } : { format: 'RowBinary' })).text;
    await executed(client, isEmbedded ? { query } : { query, values: createReadStream(file) });
  });
}

async function executed(client: ClickHouseClient, statement: Parameters<ClickHouseClient['exec']>[0]): Promise<void> {
  const { stream } = await client.exec(statement);
  for await (const chunk of stream) void chunk;
}
