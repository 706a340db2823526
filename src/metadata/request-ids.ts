import type { OrganizationId, RequestId } from '../model/ids.ts';
import type { MetadataDatabase } from './database.ts';

/** Identifiers that callers chose for their requests. */
export interface RequestIdClaims {
  /**
   * Takes an identifier for an organisation. Blocks the thread for about 30 µs in gateway mode.
   * @returns false when that organisation has used it before. @throws when the database cannot be written.
   */
  readonly claim: (organizationId: OrganizationId, requestId: RequestId) => boolean;
}

/**
 * Prepares claims of request identifiers; the tables must be there.
 * @param now Unix milliseconds.
 */
export function makeRequestIdClaims(database: MetadataDatabase, now: () => number): RequestIdClaims {
  const statement = database.prepare(
    database.queries
      .insertInto('request_id_claims')
      .values({ organization_id: '', request_id: '', claimed_at: 0 })
      .onConflict((conflict) => conflict.columns(['organization_id', 'request_id']).doNothing()),
  );
  return { claim: (organizationId, requestId) => statement.change(organizationId, requestId, now()) === 1 };
}
