import type { OrganizationId, RequestId } from '../model/ids.ts';

/** What an outbox may hold of a user. */
export interface EraseDeliveries {
  /** Waits until nothing is sent any more that was read of the organisation's requests before this call. */
  readonly settle: (organizationId: OrganizationId) => Promise<void>;
  /** Removes the deliveries of some requests with all attempts: a receiver's answer may repeat what it was sent. */
  readonly ofRequests: (organizationId: OrganizationId, requestIds: readonly RequestId[]) => Promise<void>;
  /** Removes the messages that name the user, and what the others left in the database's files. */
  readonly mentions: (organizationId: OrganizationId, userId: string) => Promise<void>;
}
