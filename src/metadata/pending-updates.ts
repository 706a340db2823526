import { parseJson, isJsonObject } from '../model/text.ts';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import type { MetadataQueries } from './database.ts';

/** Names a request: identifiers are an organisation's own. */
export interface RequestReference {
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
}

/** A change of properties that was accepted while its request was still on the way to the store. */
export interface PropertyUpdate extends RequestReference {
  readonly properties: ReadonlyMap<string, string>;
  /** Id of the key that asked for it. */
  readonly keyId: string;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
}

export interface PendingUpdate extends PropertyUpdate {
  /** Grows with every accepted update; the later of two wins. */
  readonly sequence: number;
}

/** Below the number of parameters that either database takes in one statement. */
const chunkLength = 500;

/** Keeps an update until its request is in the store. On the disk when it returns, if the database was opened for the core. */
export async function appendPendingUpdate({ queries }: MetadataQueries, update: PropertyUpdate): Promise<void> {
  await queries
    .insertInto('pending_property_updates')
    .values({
      organization_id: update.organizationId,
      request_id: update.requestId,
      properties: JSON.stringify(Object.fromEntries(update.properties)),
      key_id: update.keyId,
      accepted_at: update.acceptedAt,
    })
    .execute();
}

/** How many updates wait, over all organisations. */
export async function countPendingUpdates({ queries }: MetadataQueries): Promise<number> {
  const row = await queries
    .selectFrom('pending_property_updates')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

/** The updates that wait for any of these requests, in the order in which they were accepted. */
export async function listPendingUpdates(
  { queries }: MetadataQueries,
  requests: readonly RequestReference[],
): Promise<readonly PendingUpdate[]> {
  const wanted = new Set(requests.map(referenceText));
  const found: PendingUpdate[] = [];
  for (const requestIds of chunks([...new Set(requests.map(({ requestId }) => requestId))])) {
    const rows = await queries.selectFrom('pending_property_updates').selectAll().where('request_id', 'in', requestIds).execute();
    found.push(...rows.map(pendingUpdateOf).filter((update) => wanted.has(referenceText(update))));
  }
  return found.toSorted((left, right) => left.sequence - right.sequence);
}

/**
 * Forgets updates that the store holds. They are named one by one, not by their request: an update that was accepted after they were listed
 * stays.
 */
export async function removePendingUpdates(
  { queries }: MetadataQueries,
  updates: readonly Pick<PendingUpdate, 'sequence'>[],
): Promise<void> {
  for (const sequences of chunks(updates.map(({ sequence }) => sequence))) {
    await queries.deleteFrom('pending_property_updates').where('seq', 'in', sequences).execute();
  }
}

interface PendingRow {
  readonly seq: number;
  readonly organization_id: string;
  readonly request_id: string;
  readonly properties: string;
  readonly key_id: string;
  readonly accepted_at: number;
}

function pendingUpdateOf(row: PendingRow): PendingUpdate {
  const properties = parseJson(row.properties);
  if (!isJsonObject(properties)) throw new Error(`Pending update ${row.seq} does not hold an object.`);
  return {
    sequence: row.seq,
    organizationId: row.organization_id as OrganizationId,
    requestId: row.request_id as RequestId,
    properties: new Map(Object.entries(properties).map(([name, value]) => [name, String(value)])),
    keyId: row.key_id,
    acceptedAt: row.accepted_at,
  };
}

function referenceText({ organizationId, requestId }: RequestReference): string {
  return `${organizationId} ${requestId}`;
}

function* chunks<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += chunkLength) yield items.slice(start, start + chunkLength);
}
