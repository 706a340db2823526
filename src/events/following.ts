import { makeBodyAddresses } from '../auth/body-address.ts';
import { deploymentSecret } from '../auth/secret-key.ts';
import type { Config } from '../config/load.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { Observe } from '../model/observation.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import { type EventsDatabase, openEvents } from './database/database.ts';
import { addDeliveries } from './log/add-deliveries.ts';
import type { Outbox } from './delivery/outbox.ts';
import { inWriteTransaction } from '../platform/sqlite/database.ts';
import { systemClock } from '../platform/clock.ts';
import type { Meter } from '../platform/metrics/meter.ts';
import type { BodyReading } from '../reading/body-runs.ts';
import { WebhookDefinitions } from './webhooks/definitions.ts';
import { type OrderOfStorage, WebhookFollower } from './webhooks/following/follower.ts';
import { PendingQuota } from './webhooks/following/pending-quota.ts';
import { UpdateNotes } from './webhooks/following/update-notes.ts';
import { countAnnounced } from './webhooks/metrics.ts';
import { makeRequestPayloads } from './targets/request-payloads.ts';
import { dataPaths } from '../config/data-paths.ts';
import type { DeliveryTargets, RequestPayloads } from './targets/targets.ts';

export interface FollowingParts extends EventStores {
  readonly config: Config;
  readonly observe: Observe;
  readonly meter: Meter;
  readonly storedOrder: OrderOfStorage;
  /** How an organisation's stored requests are read, within bounds of memory. */
  readonly readingOf: (organizationId: OrganizationId, signal: AbortSignal) => BodyReading;
}

/** The database of events and who writes it from elsewhere. */
export interface EventStores {
  readonly events: EventsDatabase;
  readonly webhooks: WebhookDefinitions;
  readonly updateNotes: UpdateNotes;
}

export async function openEventStores(config: Config, metadata: MetadataDatabase, observe: Observe): Promise<EventStores> {
  const events = await openEvents(config.dataDir, systemClock.now, observe);
  const webhooks = await WebhookDefinitions.open(metadata);
  return { events, webhooks, updateNotes: await openUpdateNotes(events, webhooks, observe) };
}

/** Notes for the organisations that have a webhook of the event `request.updated`. */
function openUpdateNotes(database: EventsDatabase, webhooks: WebhookDefinitions, observe: Observe): Promise<UpdateNotes> {
  const watchedNow = (): ReadonlySet<OrganizationId> => {
    const asking = webhooks.enabled().filter(({ events }) => events.includes('request.updated'));
    return new Set(asking.map(({ organizationId }) => organizationId));
  };
  let watched = watchedNow();
  webhooks.watch(() => (watched = watchedNow()));
  return UpdateNotes.open({ database, isWatched: (organizationId) => watched.has(organizationId), now: systemClock.now, observe });
}

/** @param baseUrl of the addresses of bodies. */
export function requestPayloadsOf(parts: FollowingParts, baseUrl: () => string): RequestPayloads {
  const { config, webhooks } = parts;
  const addresses = makeBodyAddresses(deploymentSecret(config.secretKey, dataPaths(config).secret), systemClock.now);
  return makeRequestPayloads({
    definitions: webhooks,
    readingOf: parts.readingOf,
    bodyAddressOf: (organizationId, requestId) => baseUrl() + addresses.pathOf({ organizationId }, requestId),
  });
}

export function makeFollower(
  parts: FollowingParts,
  outbox: Pick<Outbox, 'wake'>,
  targets: Pick<DeliveryTargets, 'disable' | 'noticesOf'>,
): WebhookFollower {
  const { config, observe, meter, events, webhooks, storedOrder, updateNotes } = parts;
  const { now, monotonic } = systemClock;
  const follower = new WebhookFollower({
    database: events,
    quota: new PendingQuota({ database: events, maxPending: config.webhookPendingMax, monotonic }),
    wake: (deliveries) => outbox.wake(deliveries),
    order: storedOrder,
    updateWatermark: (organizationId) => updateNotes.watermark(organizationId),
    definitions: webhooks,
    readingOf: parts.readingOf,
    now,
    observe,
    giveUp: async ({ id, organizationId }, eventType, reason) => {
      const target = { kind: 'webhook', webhookId: id } as const;
      const at = now();
      const notices = targets.noticesOf({ type: 'webhook.disabled', organizationId, target, deliveryId: null, eventType, reason, at });
      await inWriteTransaction(events, (transaction) => addDeliveries(transaction, notices, at));
      await targets.disable(organizationId, target, 'filter');
      outbox.wake([...notices, { organizationId, target }]);
    },
    noteAnnounced: (deliveries) => countAnnounced(meter, deliveries),
  });
  updateNotes.watch((organizationId) => follower.wake(organizationId));
  return follower;
}
