import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { RequestId } from '../../model/ids.ts';
import { empty } from '../../query/testing/query-harness.ts';
import { openConnections } from '../engine/open-connections.ts';
import { makeInsertRows } from './insert.ts';
import { migrations } from '../schema/migrate.ts';
import { lineOf } from '../testing/store-harness.ts';
import { type RecordTable, rowColumns, rowsOf } from './rows.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-dedup-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Another process that opens the store, inserts, and is killed in the moment in which it knows that the rows are in. */
const firstLife = `
  import { Readable } from 'node:stream';
  import { createClient } from '@clickhouse/client';
  import { createChdbConnection } from 'chdb/connection';
  const { data, statements, inserts } = JSON.parse(process.argv[1]);
  const client = createClient({ connection: createChdbConnection({ path: data }) });
  for (const query of statements) await client.command({ query });
  for (const { table, columns, rows, token } of inserts) {
    await client.exec({ query: 'INSERT INTO ' + table + ' (' + columns.join(', ') + ') FORMAT JSONCompactEachRow', values: Readable.from([rows], { objectMode: false }), clickhouse_settings: { insert_deduplication_token: token } });
  }
  process.kill(process.pid, 'SIGKILL');
`;

const line = (table: RecordTable, id: string, createdAt = '1700000000.000'): string =>
  lineOf(table, { org_id: '1', request_id: id, created_at: createdAt });

function row(table: 'bodies' | 'requests', id: number, createdAt = 1_700_000_000_000): Uint8Array {
  const requestId = `00000000-0000-0000-0000-${String(id).padStart(12, '0')}` as RequestId;
  const { request, bodies } = rowsOf({ ...empty, requestId, createdAt }, 0);
  return { requests: request, bodies }[table];
}

test('a token is known to the next process, also when the first was killed', async () => {
  const data = path.join(folder, 'data');
  const inserts = (['bodies', 'requests'] as const).map((table) => ({
    table,
    columns: rowColumns[table],
    rows: [line(table, '1'), line(table, '2', '1710000000.000')].join('\n'),
    token: `spool-1-${table}`,
  }));
  const statements = migrations.flatMap((migration) => migration.statements);
  const given = JSON.stringify({ data, statements, inserts });
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', firstLife, given], { encoding: 'utf8' });
  expect(child.stderr).toBe('');
  expect(child.signal).toBe('SIGKILL');
  const connections = openConnections({ folder: data });
  const insert = makeInsertRows(connections);
  for (const { table, token } of inserts) {
    // As bytes: the token is known however the rows came.
    await insert(table, [row(table, 5), row(table, 6, 1_710_000_000_000)], token);
    await insert(table, [row(table, 4)], `${token}-other`);
    const stored = await connections.run('short', async (client) =>
      (await client.query({ query: `SELECT toString(request_id) AS id FROM ${table} ORDER BY id`, format: 'JSONEachRow' })).json(),
    );
    expect(stored).toEqual([{ id: '1' }, { id: '2' }, { id: '4' }]);
  }
  await connections.close();
});
