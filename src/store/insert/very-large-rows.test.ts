import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RequestId } from '../../model/ids.ts';
import { empty } from '../../query/testing/query-harness.ts';
import type { Connections } from '../engine/connections.ts';
import { openStoreRig, type StoreRig } from '../testing/store-harness.ts';
import { makeInsertRows } from './insert.ts';
import { bodiesRow } from './rows.ts';

const mebibyte = 1024 * 1024;

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(() => rig.close());

function rowOf(id: number, bytes: number): Uint8Array {
  const requestId = `00000000-0000-0000-0000-${String(id).padStart(12, '0')}` as RequestId;
  return bodiesRow({ ...empty, requestId, requestBody: { kind: 'text', text: 'x'.repeat(bytes) } }, {});
}

async function settingsOf(table: string, { run }: Connections): Promise<string> {
  const query = `SELECT create_table_query AS text FROM system.tables WHERE database = currentDatabase() AND name = '${table}'`;
  return run('short', async (client) => (await client.query({ query, format: 'TabSeparated' })).text());
}

test('from the first row of more than 16 MiB on a merge of bodies takes four parts at most', async () => {
  const { connections } = rig;
  const insert = makeInsertRows(connections);
  await insert('bodies', [rowOf(1, mebibyte), rowOf(2, 15 * mebibyte)], 'usual');
  expect(await settingsOf('bodies', connections)).not.toContain('max_parts_to_merge_at_once');
  await insert('bodies', [rowOf(3, mebibyte), rowOf(4, 17 * mebibyte)], 'large');
  expect(await settingsOf('bodies', connections)).toContain('max_parts_to_merge_at_once = 4');
  // Another process does not know of it.
  await makeInsertRows(connections)('bodies', [rowOf(5, 17 * mebibyte)], 'larger');
  expect((await settingsOf('bodies', connections)).split('max_parts_to_merge_at_once')).toHaveLength(2);
  expect(await settingsOf('requests', connections)).not.toContain('max_parts_to_merge_at_once');
});
