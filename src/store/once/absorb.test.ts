import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RequestId, uuidToNumber } from '../../model/ids.ts';
import { createdAt, lineOf, makeInsertLines, openStoreRig, requestLine, type StoreRig, tenant } from '../testing/store-harness.ts';
import { PendingPatches } from '../update/pending-patches.ts';
import { type JoinRecords, makeJoinRecords } from './absorb.ts';

let rig: StoreRig;
let joinRecords: JoinRecords;
beforeAll(async () => {
  rig = await openStoreRig();
  joinRecords = makeJoinRecords(rig.connections, new PendingPatches());
});
afterAll(async () => rig.close());

async function store(): Promise<RequestId> {
  const insert = makeInsertLines(rig.connections);
  const { id, line } = requestLine();
  const key = { org_id: uuidToNumber(tenant).toString(), request_id: uuidToNumber(id).toString(), created_at: '1700000000.123' };
  await insert('bodies', lineOf('bodies', { ...key, request_kind: 'text', request_body: 'Why?' }), `bodies-${id}`);
  await insert('requests', line, `requests-${id}`);
  return id;
}

async function rowsOf(id: RequestId): Promise<Readonly<Record<'requests' | 'bodies', number>>> {
  const params = { id: uuidToNumber(id).toString() };
  const count = async (table: string): Promise<number> => {
    const [row] = await rig.run<{ readonly rows: string | number }>(
      `SELECT count() AS rows FROM ${table} WHERE request_id = {id:UInt128}`,
      { params },
    );
    return Number(row?.rows);
  };
  return { requests: await count('requests'), bodies: await count('bodies') };
}

it('what a removal that was broken off has left is removed by the next one, which knows of it by its request', async () => {
  const id = await store();
  const records = [{ requestId: id, createdAt }];
  const stopping = new AbortController();
  const outcome = joinRecords.remove(tenant, records, stopping.signal).then(
    () => 'removed',
    () => 'broken off',
  );
  while (await isWhole(id));
  stopping.abort();
  expect(await outcome).toBe('broken off');
  expect(await rowsOf(id)).toMatchObject({ requests: 1 });
  await joinRecords.remove(tenant, records, new AbortController().signal);
  expect(await rowsOf(id)).toEqual({ requests: 0, bodies: 0 });
});

async function isWhole(id: RequestId): Promise<boolean> {
  const { requests, bodies } = await rowsOf(id);
  return requests === 1 && bodies === 1;
}
