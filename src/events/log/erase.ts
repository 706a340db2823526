import { sql } from 'kysely';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { EventsDatabase, EventsQueries } from '../database/database.ts';
import { idsOf, removeDeliveries } from './remove.ts';
import { inTurns, rowsAtOnce } from './turns.ts';

/**
 * Removes every delivery of some requests with its attempts: a receiver's answer may repeat what it was sent.
 * @returns how many there were.
 */
export async function eraseOfRequests(
  database: EventsDatabase,
  organizationId: OrganizationId,
  requestIds: readonly RequestId[],
): Promise<number> {
  let removed = 0;
  for (let start = 0; start < requestIds.length; start += rowsAtOnce) {
    const some = requestIds.slice(start, start + rowsAtOnce);
    removed += await removeFound(database, { organizationId }, ({ queries }) =>
      queries
        .selectFrom('deliveries')
        .select('id')
        .where('request_id', 'in', some)
        .where('organization_id', '=', organizationId)
        .limit(rowsAtOnce)
        .execute(),
    );
  }
  return removed;
}

/** Deliveries of a slice that are searched for a name: of few are there many to remove. */
const searchedAtOnce = 2000;

/** Removes the messages in which the text of a user stands by itself, as the value of a group does, with their attempts. */
export async function eraseMentions(database: EventsDatabase, organizationId: OrganizationId, userId: string): Promise<number> {
  const named = JSON.stringify(userId);
  let removed = 0;
  let behind = '';
  // No index leads to a name, so all deliveries are searched, some at a time.
  while (true) {
    const last = await lastOf(database, behind);
    if (last === undefined) return removed;
    removed += await removeFound(database, { organizationId }, ({ queries }) =>
      queries
        .selectFrom('deliveries')
        .select('id')
        .where('id', '>', behind)
        .where('id', '<=', last)
        .where('organization_id', '=', organizationId)
        .where('content', 'is not', null)
        .where(sql<number>`instr(content, ${named})`, '>', 0)
        .limit(rowsAtOnce)
        .execute(),
    );
    behind = last;
  }
}

/** The last of the deliveries that are searched at once; undefined: there are none. */
async function lastOf({ queries }: EventsDatabase, behind: string): Promise<string | undefined> {
  const ids = queries.selectFrom('deliveries').select('id').where('id', '>', behind).orderBy('id').limit(searchedAtOnce);
  const row = await queries
    .selectFrom(ids.as('searched'))
    .select((select) => select.fn.max('id').as('last'))
    .executeTakeFirst();
  return row?.last ?? undefined;
}

export interface ExpiredDeliveries {
  /** Undefined: of all. */
  readonly organizations: readonly OrganizationId[] | undefined;
  /** Unix milliseconds: deliveries of requests of this time stay. */
  readonly before: number;
}

/** Removes the deliveries of requests that have expired, with their attempts. @throws the abort reason when the signal aborts. */
export async function removeExpiredDeliveries(
  database: EventsDatabase,
  { organizations, before }: ExpiredDeliveries,
  signal: AbortSignal,
): Promise<number> {
  const read = ({ queries }: EventsQueries) => {
    const expired = queries.selectFrom('deliveries').select('id').where('request_created_at', '<', before).limit(rowsAtOnce);
    return (organizations === undefined ? expired : expired.where('organization_id', 'in', organizations)).execute();
  };
  return removeFound(database, { signal }, read);
}

async function removeFound(
  database: EventsDatabase,
  { organizationId, signal }: { readonly organizationId?: OrganizationId; readonly signal?: AbortSignal },
  read: (transaction: EventsQueries) => Promise<readonly { readonly id: string }[]>,
): Promise<number> {
  const slice = (): Promise<number> =>
    inWriteTransaction(database, async (transaction) => removeDeliveries(transaction, idsOf(await read(transaction))));
  return inTurns(organizationId, slice, signal);
}
