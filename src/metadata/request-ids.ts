import { setTimeout as wait } from 'node:timers/promises';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import type { MetadataDatabase, MetadataQueries } from './database.ts';

/**
 * Claims per removing write, and the pause after it, milliseconds. Such a write takes 12 ms among a million claims (130 ms for 1,000 at
 * once); calls with their own identifier get the lock in between.
 */
const removedAtOnce = 100;
const pauseMs = 20;

/** Which claims expire. */
export interface ClaimExpiry {
  /** Undefined: all organisations. */
  readonly organizations: readonly OrganizationId[] | undefined;
  /** Unix milliseconds: claims of this time stay. */
  readonly before: number;
}

/** Identifiers that callers chose for their requests. */
export interface RequestIdClaims {
  /**
   * Claims an identifier for an organisation; blocks the thread for about 30 µs in gateway mode. @returns false when the organisation has
   * used it before. @throws when the database cannot be written.
   */
  readonly claim: (organizationId: OrganizationId, requestId: RequestId) => boolean;
  /** Releases an identifier that gets no record. @throws when the database cannot be written. */
  readonly release: (organizationId: OrganizationId, requestId: RequestId) => void;
}

/** Prepares claims of request identifiers; the tables must exist. @param now Unix milliseconds. */
export function makeRequestIdClaims(database: MetadataDatabase, now: () => number): RequestIdClaims {
  const statement = database.prepare(
    database.queries
      .insertInto('request_id_claims')
      .values({ organization_id: '', request_id: '', claimed_at: 0 })
      .onConflict((conflict) => conflict.columns(['organization_id', 'request_id']).doNothing()),
  );
  const removal = database.prepare(
    database.queries.deleteFrom('request_id_claims').where('organization_id', '=', '').where('request_id', '=', ''),
  );
  return {
    claim: (organizationId, requestId) => statement.change(organizationId, requestId, now()) === 1,
    release: (organizationId, requestId) => void removal.change(organizationId, requestId),
  };
}

/** Rows of one statement. */
const claimedAtOnce = 200;

/**
 * Claims identifiers for an organisation, whoever has claimed them before. Unlike a prepared claim it waits for writes of other processes.
 * @throws GatelogError `metadata_unavailable` when the database cannot be written.
 */
export async function claimAll(
  { queries }: MetadataQueries,
  organizationId: OrganizationId,
  { requestIds, at }: { readonly requestIds: readonly RequestId[]; readonly at: number },
): Promise<void> {
  for (let start = 0; start < requestIds.length; start += claimedAtOnce) {
    const rows = requestIds.slice(start, start + claimedAtOnce);
    await queries
      .insertInto('request_id_claims')
      .values(rows.map((requestId) => ({ organization_id: organizationId, request_id: requestId, claimed_at: at })))
      .onConflict((conflict) => conflict.columns(['organization_id', 'request_id']).doNothing())
      .execute();
  }
}

/**
 * Removes expired claims, whose identifiers can be chosen again. A repetition continues where an interrupted run stopped. @throws when the
 * database cannot be written; the abort reason on a stop.
 */
export async function removeClaims({ queries }: MetadataQueries, expiry: ClaimExpiry, signal: AbortSignal): Promise<void> {
  const { organizations, before } = expiry;
  const ids = organizations ?? (await queries.selectFrom('organizations').select('id').execute()).map(({ id }) => id);
  for (const id of ids) {
    // By organisation, as the index is ordered.
    const ofAge = queries
      .selectFrom('request_id_claims')
      .select('request_id')
      .where('organization_id', '=', id)
      .where('claimed_at', '<', before)
      .limit(removedAtOnce);
    const removal = queries.deleteFrom('request_id_claims').where('organization_id', '=', id).where('request_id', 'in', ofAge);
    for (;;) {
      signal.throwIfAborted();
      const { numDeletedRows } = await removal.executeTakeFirst();
      if (numDeletedRows < removedAtOnce) break;
      await wait(pauseMs, undefined, { signal });
    }
  }
}
