import type { OrganizationId, Uuid } from '../ids.ts';
import type { StoredChannel } from './channel.ts';

/** A stored rule. `Rule` is what it measures and tells, in the API's shape. */
export interface StoredAlert<Rule = object> {
  readonly id: Uuid;
  readonly organizationId: OrganizationId;
  readonly rule: Rule;
  readonly channels: readonly StoredChannel[];
  /** By which the gateway refuses calls beyond the threshold; null: the rule only tells. */
  readonly limitPolicy: string | null;
  /** Made by Gatelog; off while it has no channel. */
  readonly offered: boolean;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly changedAt: number;
}
