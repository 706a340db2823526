import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NewDelivery, WebhookEvent } from '../../../model/events/event.ts';
import type { Webhook } from '../../../model/events/webhook.ts';
import type { OrganizationId } from '../../../model/ids.ts';
import { addDeliveries } from '../../log/add-deliveries.ts';
import type { EventsDatabase, EventsQueries } from '../../database/database.ts';
import { inWriteTransaction } from '../../../platform/sqlite/database.ts';
import { Slices } from '../../../platform/bounds/slices.ts';
import type { FairSemaphore } from '../../../platform/fair-semaphore.ts';
import type { Observe } from '../../../model/observation.ts';
import type { BodyReading } from '../../../reading/body-runs.ts';
import { PacedLoop } from './paced-loop.ts';
import type { PendingQuota } from './pending-quota.ts';

/** Rows of a page, for each of which a webhook may get a delivery. */
export const maxPageRows = 500;
/** Deliveries of one transaction, which blocks the process meanwhile; those of one webhook for one page are never more. */
const maxSliceRows = maxPageRows;

/** What following needs of the rest of the core. */
export interface FollowingPorts {
  readonly database: EventsDatabase;
  readonly quota: PendingQuota;
  /** Called after deliveries were added. */
  readonly wake: (deliveries: readonly NewDelivery[]) => void;
  /** Everything up to this number of the order of storage is visible that ever will be. */
  readonly highWatermark: () => number;
  /** Every update of the organisation up to this one has been made. */
  readonly updateWatermark: (organizationId: OrganizationId) => number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly observe: Observe;
  /** Disables a webhook whose filter cannot decide, and tells who is told of such; durable on return. @param reason a sentence. */
  readonly giveUp: (webhook: Webhook, type: WebhookEvent, reason: string) => Promise<void>;
  readonly noteAnnounced: (deliveries: readonly NewDelivery[]) => void;
}

/** What becomes of a page for those who share it. */
export interface Announcing<Cursor> {
  readonly deliveriesOf: (cursor: Cursor) => readonly NewDelivery[];
  /** Stores that some have looked at the page, in the transaction that adds their deliveries. */
  readonly storePositions: (transaction: EventsQueries, some: readonly Cursor[]) => Promise<void>;
  /** Their transaction is committed. */
  readonly moved: (some: readonly Cursor[]) => void;
}

/** Announces a page to some webhooks at a time, so that others get to work in between. Whoever was not reached stays where it is. */
export async function announceInSlices<Cursor>(
  ports: FollowingPorts,
  group: readonly Cursor[],
  { deliveriesOf, storePositions, moved }: Announcing<Cursor>,
): Promise<void> {
  const slices = new Slices();
  let [some, deliveries]: [Cursor[], NewDelivery[]] = [[], []];
  const write = async (): Promise<void> => {
    const [written, added] = [some, deliveries];
    [some, deliveries] = [[], []];
    await addAll(ports, added, (transaction) => storePositions(transaction, written));
    moved(written);
  };
  for (const cursor of group) {
    const own = deliveriesOf(cursor);
    if (deliveries.length + own.length > maxSliceRows) {
      await write();
      await nextTurn();
    }
    some.push(cursor);
    for (const delivery of own) deliveries.push(delivery);
    await slices.turn();
  }
  if (some.length > 0) await write();
}

/** Adds deliveries, and in the same transaction whatever else says that they were added. */
async function addAll(
  { database, now, quota, noteAnnounced, wake }: FollowingPorts,
  deliveries: readonly NewDelivery[],
  also: (transaction: EventsQueries) => Promise<void>,
): Promise<void> {
  await inWriteTransaction(database, async (transaction) => {
    await addDeliveries(transaction, deliveries, now());
    await also(transaction);
  });
  for (const { target } of deliveries) if (target.kind === 'webhook') quota.added(target.webhookId);
  noteAnnounced(deliveries);
  if (deliveries.length > 0) wake(deliveries);
}

/** @param turns which organisations take. */
export function loopOf(
  ports: FollowingPorts,
  { tenant, signal, monotonic }: BodyReading,
  turns: FairSemaphore,
  step: () => Promise<boolean>,
): PacedLoop {
  return new PacedLoop({
    step,
    inTurn: async (work) => {
      const turn = await turns.acquire(1, { owner: tenant, signal });
      try {
        return await work();
      } finally {
        turn.release();
      }
    },
    failed: (reason) => ports.observe({ kind: 'webhooks_behind', reason }),
    monotonic,
  });
}
