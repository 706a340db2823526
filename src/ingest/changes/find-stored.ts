import type { StoredMember } from './session-changes.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { type CreatedAtRow, requestKeyStatements } from '../../query/request-detail/lookup.ts';
import type { RequestKey } from '../../query/requests/select.ts';
import { firstRequestStatement } from '../../query/session-detail/lookup.ts';
import { runUntilRows } from '../../store/read/run-statement.ts';
import type { Store } from '../../store/store.ts';

/** @returns the arrival of a stored request, Unix milliseconds; undefined when it is not stored. */
export async function findStored(store: Store, organizationId: OrganizationId, requestId: RequestId): Promise<number | undefined> {
  const [row] = await runUntilRows<CreatedAtRow>(store.run, requestKeyStatements(organizationId, requestId));
  return row === undefined ? undefined : Number(row.created_ms);
}

/** The first request of a session. */
export async function findFirst(store: Store, organizationId: OrganizationId, sessionId: string): Promise<StoredMember | undefined> {
  const [row] = await store.run<RequestKey>(firstRequestStatement(organizationId, sessionId));
  return row === undefined ? undefined : { requestId: row.id as RequestId, createdAt: Number(row.created_ms) };
}
