import { uuidToNumber } from '../../model/ids.ts';
import type { Connections } from '../engine/connections.ts';
import { readRows, removeRows, type RemovingParts, type RowCondition } from './removing.ts';
import type { RecordName } from '../read/find-rows.ts';

/**
 * Removes what a record has left that was refused: its bodies and history were stored before its row was, and would be there twice once it is stored
 * after all. Of records whose row is there nothing goes. To be called while none of them is on its way to the store.
 * @throws GatelogError when the store fails, `store_unavailable` while there is no room; the abort reason when told to stop.
 */
export type RemoveOrphans = (records: readonly RecordName[], signal: AbortSignal) => Promise<void>;

const named = 'org_id = {tenant:UInt128} AND request_id IN {requests:Array(UInt128)}';

/** Makes the function that removes. */
export function makeRemoveOrphans(connections: Connections): RemoveOrphans {
  return async (records, signal) => {
    for (const organizationId of new Set(records.map((record) => record.organizationId))) {
      const own = records.filter((record) => record.organizationId === organizationId);
      const params = { tenant: uuidToNumber(organizationId).toString(), requests: own.map(({ requestId }) => uuidToNumber(requestId)) };
      for (const table of ['bodies', 'changes'] as const) await removeFrom({ connections, signal }, table, params);
    }
  };
}

async function removeFrom(parts: RemovingParts, table: 'bodies' | 'changes', params: RowCondition['params']): Promise<void> {
  const text = `SELECT DISTINCT toString(request_id) AS id FROM ${table} WHERE ${named}
    AND request_id NOT IN (SELECT request_id FROM requests WHERE ${named})`;
  const orphans = await readRows<{ readonly id: string }>(parts, { text, params });
  if (orphans.length === 0) return;
  const requests = orphans.map(({ id }) => BigInt(id));
  await removeRows(parts, table, { text: `ALTER TABLE ${table} DELETE WHERE ${named}`, params: { ...params, requests } });
}
