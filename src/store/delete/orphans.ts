import { type OrganizationId, uuidToNumber } from '../../model/ids.ts';
import { deleteRows } from '../../sql/commands.ts';
import { select } from '../../sql/query.ts';
import { param, sql } from '../../sql/sql.ts';
import { compileFor } from '../../sql/statement.ts';
import { tenantRows, requests } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { keepWordsOfOthers } from '../parts/keep-words.ts';
import { readForRemoval, removalSettings, removeRows, type RemovingParts } from '../parts/remove-rows.ts';
import type { RecordName } from '../read/find-rows.ts';

/**
 * Deletes the remains of a refused record: its bodies and history were stored before its row, and would be duplicated once it is stored
 * after all. Stored records stay whole. Call it while none of them is in flight.
 * @throws GatelogError when the store fails, `store_unavailable` without free disk space; the abort reason when the signal aborts.
 */
export type RemoveOrphans = (records: readonly RecordName[], signal: AbortSignal) => Promise<void>;

export function makeRemoveOrphans(connections: Connections): RemoveOrphans {
  return async (records, signal) => {
    for (const organizationId of new Set(records.map((record) => record.organizationId))) {
      const own = records.filter((record) => record.organizationId === organizationId);
      for (const table of ['bodies', 'bodies_before', 'changes'] as const) {
        const ids = own.map(({ requestId }) => uuidToNumber(requestId));
        await removeFrom({ connections, signal }, table, { organizationId, ids });
      }
    }
  };
}

interface NamedRequests {
  readonly organizationId: OrganizationId;
  readonly ids: readonly bigint[];
}

async function removeFrom(
  parts: RemovingParts,
  table: 'bodies' | 'bodies_before' | 'changes',
  { organizationId, ids }: NamedRequests,
): Promise<void> {
  const requestIds = param(ids, 'Array(UInt128)', 'requests');
  const named = sql`request_id IN ${requestIds}`;
  const stored = select({ columns: sql`request_id`, from: requests(named) });
  const left = tenantRows(table, [named, sql`request_id NOT IN ${stored}`]);
  const query = select({ distinct: true, columns: sql`toString(request_id) AS id`, from: left });
  const orphans = await readForRemoval<{ readonly id: string }>(parts, compileFor(organizationId, query));
  if (orphans.length === 0) return;
  const orphanIds = param(
    orphans.map(({ id }) => BigInt(id)),
    'Array(UInt128)',
    'requests',
  );
  const isOrphan = sql`request_id IN ${orphanIds}`;
  if (table === 'bodies') await keepWordsOfOthers(parts, organizationId, isOrphan);
  const deletion = deleteRows(tenantRows(table, isOrphan), { by: 'rewriting', settings: removalSettings });
  await removeRows(parts, table, compileFor(organizationId, deletion));
}
