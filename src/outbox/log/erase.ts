import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { EventsDatabase, EventsQueries } from '../database.ts';
import { idsOf, removeDeliveries, rowsAtOnce } from './remove.ts';

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
    removed += await removeFound(database, ({ queries }) =>
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

/** Removes the messages in which the text of a user stands by itself, as the value of a group does, with their attempts. */
export async function eraseNaming(database: EventsDatabase, organizationId: OrganizationId, userId: string): Promise<number> {
  const named = JSON.stringify(userId);
  return removeFound(database, ({ queries }) =>
    queries
      .selectFrom('deliveries')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('content', 'is not', null)
      .where(sql<number>`instr(content, ${named})`, '>', 0)
      .limit(rowsAtOnce)
      .execute(),
  );
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
  return removeFound(database, read, signal);
}

/** Removes a page at a time; between two, the process does other work. */
async function removeFound(
  database: EventsDatabase,
  read: (transaction: EventsQueries) => Promise<readonly { readonly id: string }[]>,
  signal?: AbortSignal,
): Promise<number> {
  for (let removed = 0; ;) {
    signal?.throwIfAborted();
    const found = await inWriteTransaction(database, async (transaction) => removeDeliveries(transaction, idsOf(await read(transaction))));
    removed += found;
    if (found < rowsAtOnce) return removed;
    await turn();
  }
}
