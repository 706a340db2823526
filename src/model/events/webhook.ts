import type { OrganizationId, Uuid } from '../ids.ts';
import type { WebhookEvent } from './event.ts';

/** Why a webhook gets no events. */
export const disabledReasons = ['by_owner', 'gone', 'failing', 'filter'] as const;
/** `by_owner`: somebody switched it off; `gone`: the destination answered 410; `failing`: it failed for five days; `filter`: its filter could not decide. */
export type DisabledReason = (typeof disabledReasons)[number];

/** A stored webhook without its secrets. Times are Unix milliseconds. */
export interface Webhook {
  readonly id: Uuid;
  readonly organizationId: OrganizationId;
  readonly name: string | null;
  readonly destination: string;
  /** JSON of a filter, checked when it was saved; null: all requests. */
  readonly filter: unknown;
  /** Percent of the requests that match, 0 to 100. */
  readonly sampleRate: number;
  readonly events: readonly WebhookEvent[];
  /** Whether request events carry bodies and metadata. */
  readonly includeData: boolean;
  /**
   * Number of the order of storage (`ingest/batch/stored-order.ts`): records up to it are not announced. It is that of the moment in which the
   * webhook was created or enabled again. The follower goes on behind the greater of this and its own position.
   */
  readonly startsAfter: number;
  readonly disabled: { readonly at: number; readonly reason: DisabledReason } | null;
  readonly createdAt: number;
  readonly changedAt: number;
}
