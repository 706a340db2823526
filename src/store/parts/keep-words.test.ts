import { afterAll, beforeAll, expect, it } from 'vitest';
import { uuidToNumber } from '../../model/ids.ts';
import { sql } from '../../sql/sql.ts';
import { openStoreRig, type StoreRig, tenant } from '../testing/store-harness.ts';
import { keepWordsOfOthers, keepWordsWithoutPart } from './keep-words.ts';
import type { RemovingParts } from './remove-rows.ts';

let rig: StoreRig;
let parts: RemovingParts;
beforeAll(async () => {
  rig = await openStoreRig();
  parts = { connections: rig.connections, signal: new AbortController().signal };
  const values = [
    row(1, '2026-02-03 10:05:00', 7, true),
    row(2, '2026-02-03 10:06:00', 7, false),
    row(3, '2026-02-03 10:07:00', 7, false),
    row(4, '2026-02-03 11:07:00', 7, false),
    row(5, '2026-02-03 10:08:00', 8, false),
  ];
  await rig.connections.run('update', (client) =>
    client.command({
      query: `INSERT INTO bodies (org_id, created_at, request_id, body_group, request_kind, request_body, new_spans) VALUES ${values.join(', ')}`,
    }),
  );
});
afterAll(async () => rig.close());

function row(number: number, time: string, group: number, isNew: boolean): string {
  const places = isNew ? '[(1, 4294967295), (1, 0), (1, 0)]' : '[(3, 2), (1, 0), (1, 0)]';
  return `(toUInt128('${uuidToNumber(tenant)}'), '${time}', ${number}, ${group}, 'json', 'a text', ${places})`;
}

/** Identifiers of rows of which only a part is new. */
async function repeating(): Promise<readonly number[]> {
  const rows = await rig.run<{ readonly id: string }>('SELECT toString(request_id) AS id FROM bodies WHERE new_spans[1].2 = 2 ORDER BY id');
  return rows.map(({ id }) => Number(id));
}

it('rows of the group and hour of one that will be removed are found by their own words', async () => {
  expect(await repeating()).toEqual([2, 3, 4, 5]);
  await keepWordsOfOthers(parts, tenant, sql`request_id = 1`);
  expect(await repeating()).toEqual([4, 5]);
});

it('nothing is rewritten where no other row repeats one', async () => {
  await keepWordsOfOthers(parts, tenant, sql`request_id = 5`);
  expect(await repeating()).toEqual([4, 5]);
});

it('after the loss of a part all rows are, and no row is marked by an earlier one any more', async () => {
  const { removals, rewritten } = rig.connections.bodies;
  const { mark } = rewritten;
  await keepWordsWithoutPart(rig.connections);
  expect(await repeating()).toEqual([]);
  expect(rig.connections.bodies.removals).toBe(removals + 1);
  expect(rewritten.since(mark)).toBe('all');
  expect(rewritten.mark).toBe(mark + 2);
});
