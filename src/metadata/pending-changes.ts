import { type AcceptedChange, type Change, changeContent, readChange } from '../model/change.ts';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import { parseJson } from '../model/text.ts';
import { sessionProperties } from '../model/vocabulary/session-properties.ts';
import type { MetadataQueries } from './database.ts';

/** Identifies a request: identifiers are unique within an organisation. */
export interface RequestReference {
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
}

/** A change that was accepted before its request reached the store. */
export interface PendingChange {
  readonly accepted: AcceptedChange;
  /** Grows with every stored change; the later of two wins. */
  readonly sequence: number;
}

/** Below the parameter limit of both databases. */
const chunkLength = 500;

/** Stores changes until their requests are in the store; durable on return in the core. */
export async function appendPendingChanges({ queries }: MetadataQueries, changes: readonly AcceptedChange[]): Promise<void> {
  for (const part of chunks(changes)) {
    const rows = part.map(({ organizationId, requestId, change, keyId, acceptedAt, number }) => ({
      organization_id: organizationId,
      request_id: requestId,
      kind: change.kind,
      content: JSON.stringify(changeContent(change)),
      key_id: keyId,
      accepted_at: acceptedAt,
      number,
    }));
    await queries.insertInto('pending_changes').values(rows).execute();
  }
}

/** The latest session that pending changes give to each request. */
export async function listPendingSessions({ queries }: MetadataQueries, organizationId: OrganizationId): Promise<Map<RequestId, string>> {
  const rows = await queries
    .selectFrom('pending_changes')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'property')
    .where('content', 'like', `%${sessionProperties.sessionId}%`)
    .orderBy('seq')
    .execute();
  const sessions = new Map<RequestId, string>();
  for (const { accepted } of rows.map(pendingChangeOf)) {
    const { change, requestId } = accepted;
    const session = change.kind === 'property' ? change.values.get(sessionProperties.sessionId) : undefined;
    if (session !== undefined) sessions.set(requestId, session);
  }
  return sessions;
}

/** The number of pending changes of all organisations. */
export async function countPendingChanges({ queries }: MetadataQueries): Promise<number> {
  const row = await queries
    .selectFrom('pending_changes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

/** The greatest number of a pending change, over all organisations; 0 without any. */
export async function latestPendingNumber({ queries }: MetadataQueries): Promise<number> {
  const row = await queries
    .selectFrom('pending_changes')
    .select(({ fn }) => fn.max<number | null>('number').as('latest'))
    .executeTakeFirstOrThrow();
  return row.latest ?? 0;
}

/** The sequence of the latest pending change; 0 without any. */
export async function lastPendingSequence({ queries }: MetadataQueries): Promise<number> {
  const row = await queries
    .selectFrom('pending_changes')
    .select(({ fn }) => fn.max<number | null>('seq').as('last'))
    .executeTakeFirstOrThrow();
  return row.last ?? 0;
}

/** The pending changes of these requests, in the order of acceptance. */
export async function listPendingChanges(
  { queries }: MetadataQueries,
  requests: readonly RequestReference[],
): Promise<readonly PendingChange[]> {
  const references = new Set(requests.map(referenceText));
  const found: PendingChange[] = [];
  for (const requestIds of chunks([...new Set(requests.map(({ requestId }) => requestId))])) {
    const rows = await queries.selectFrom('pending_changes').selectAll().where('request_id', 'in', requestIds).execute();
    found.push(...rows.map(pendingChangeOf).filter(({ accepted }) => references.has(referenceText(accepted))));
  }
  return found.toSorted((left, right) => left.sequence - right.sequence);
}

/** Removes changes by sequence, not by request: a change that was accepted after the listing stays. */
export async function removePendingChanges({ queries }: MetadataQueries, sequences: readonly number[]): Promise<void> {
  for (const some of chunks(sequences)) {
    // Checked first: another process may hold the write lock, and there is nothing to wait for when the rows are gone.
    const existing = await queries.selectFrom('pending_changes').select('seq').where('seq', 'in', some).execute();
    const found = existing.map(({ seq }) => seq);
    if (found.length > 0) await queries.deleteFrom('pending_changes').where('seq', 'in', found).execute();
  }
}

interface PendingRow {
  readonly seq: number;
  readonly organization_id: string;
  readonly request_id: string;
  readonly kind: Change['kind'];
  readonly content: string;
  readonly key_id: string;
  readonly accepted_at: number;
  readonly number: number;
}

function pendingChangeOf(row: PendingRow): PendingChange {
  const change = readChange(row.kind, parseJson(row.content));
  if (change === undefined) throw new Error(`Pending change ${row.seq} does not hold what its kind says.`);
  const accepted = {
    organizationId: row.organization_id as OrganizationId,
    requestId: row.request_id as RequestId,
    change,
    keyId: row.key_id,
    acceptedAt: row.accepted_at,
    number: row.number,
  };
  return { accepted, sequence: row.seq };
}

function referenceText({ organizationId, requestId }: RequestReference): string {
  return `${organizationId} ${requestId}`;
}

function* chunks<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += chunkLength) yield items.slice(start, start + chunkLength);
}
