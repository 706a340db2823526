import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Connections } from '../engine/connections.ts';
import { openConnections } from '../engine/open-connections.ts';
import { migrateStore } from '../schema/migrate.ts';
import { makeInsertLines, requestLine } from '../testing/store-harness.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-upkeep-'));
let connections: Connections;

beforeAll(async () => {
  const first = openConnections({ folder });
  await migrateStore(first, () => undefined);
  await first.close();
  // As at any later start: the engine reads how often to look for parts that were replaced when it opens a table.
  connections = openConnections({ folder });
});

afterAll(async () => {
  await connections.close();
  rmSync(folder, { recursive: true });
});

async function command(query: string): Promise<void> {
  await connections.run('update', (client) => client.command({ query }));
}

async function rowsOf<Row>(query: string): Promise<readonly Row[]> {
  return connections.run('short', async (client) => (await client.query({ query, format: 'JSONEachRow' })).json<Row>());
}

/** Files that the engine has brought to the disk so far. */
async function syncedFiles(): Promise<number> {
  const [row] = await rowsOf<{ value: number | string }>(`SELECT value FROM system.events WHERE event = 'FileSync'`);
  return Number(row?.value ?? 0);
}

async function partsOf(table: string, condition: string): Promise<readonly { readonly path: string }[]> {
  return rowsOf(`SELECT path FROM system.parts WHERE database = currentDatabase() AND table = '${table}' AND ${condition}`);
}

test.each([
  ['merged', 'OPTIMIZE TABLE requests FINAL'],
  ['rewritten', `ALTER TABLE requests UPDATE user_id = 'other' WHERE status = 200 SETTINGS mutations_sync = 1`],
])('what was %s is on the disk, and what it replaces goes soon', async (_way, statement) => {
  const insert = makeInsertLines(connections);
  for (let part = 0; part < 3; part += 1) await insert('requests', requestLine({ status: 200 }).line, `${_way}-${part}`);
  const before = await syncedFiles();
  await command(statement);
  const [part] = await partsOf('requests', 'active ORDER BY modification_time DESC, level DESC');
  expect((await syncedFiles()) - before).toBeGreaterThanOrEqual(readdirSync(part?.path ?? '').length);
  await vi.waitFor(async () => expect(await partsOf('requests', 'NOT active')).toEqual([]), { timeout: 60_000, interval: 200 });
});

test('so it is with every table that grows', async () => {
  const lacking = await rowsOf<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'MergeTree'
     AND NOT (engine_full LIKE '%min_rows_to_fsync_after_merge = 1%' AND engine_full LIKE '%cleanup_delay_period = 1%'
       AND match(engine_full, 'min_bytes_for_wide_part = (134217728|16777216)'))`,
  );
  expect(lacking).toEqual([{ name: 'schema_migrations' }]);
});

test('what every batch goes into is merged by ten parts of a size', async () => {
  const tables = await rowsOf<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine_full LIKE '%merge_selector_base = 10%' ORDER BY name`,
  );
  expect(tables.map(({ name }) => name)).toEqual(['bodies', 'bodies_before', 'requests']);
});
