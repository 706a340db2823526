import { makeCipher } from '../auth/sealing.ts';
import { deploymentSecret } from '../auth/secret-key.ts';
import { Poster } from './channels/post.ts';
import { makeAllowList } from '../egress/allow-list.ts';
import { makeTargetGuard } from '../egress/target-guard.ts';
import type { EraseDeliveries } from './erase-deliveries.ts';
import { messageOf } from '../model/errors.ts';
import type { EventsDatabase } from './database/database.ts';
import { eraseMentions, eraseOfRequests } from './log/erase.ts';
import { pruneLog } from './log/prune.ts';
import { countEnd, countPruned } from './delivery/metrics.ts';
import { Outbox } from './delivery/outbox.ts';
import { systemClock } from '../platform/clock.ts';
import { emptyLog } from '../platform/sqlite/database.ts';
import { WebhookTargets } from './targets/webhook-targets.ts';
import { Webhooks } from './webhooks.ts';
import { dataPaths } from '../config/data-paths.ts';
import { type FollowingParts, makeFollower, requestPayloadsOf } from './following.ts';
import { type AlertChannelParts, makeAlertChannels } from './alert-channels.ts';
import type { ChannelStore } from './channels/stored-channels.ts';
import { DeliveryTargets } from './targets/targets.ts';

/** A gigabyte of log may come within an hour. */
const pruningIntervalMs = 60_000;
const day = 86_400_000;

export interface Events {
  readonly outbox: Outbox;
  /** Channels of alerts, as rules store them. */
  readonly channels: ChannelStore;
  /** For the API. */
  readonly webhooks: Webhooks;
  /** Delay of the slowest webhook behind the stored records, milliseconds. */
  readonly behindMs: () => number;
  /** Goes on with what is pending, and with what was stored since. */
  readonly start: () => Promise<void>;
  readonly erase: EraseDeliveries;
  /** Erasures of a name wait for this, then reach alerts too. */
  readonly setAlertEraser: (eraseAlertMentions: EraseDeliveries['mentions']) => void;
  readonly stop: () => Promise<void>;
}

export type EventDependencies = FollowingParts & AlertChannelParts;

/** Everything that sends events, and where alerts go. @param baseUrl of the addresses of bodies. */
export function openEvents(parts: EventDependencies, baseUrl: () => string): Events {
  const channels = makeAlertChannels(parts);
  const { config, observe, meter, events, webhooks: definitions, storedOrder } = parts;
  const { now } = systemClock;
  const cipher = makeCipher(deploymentSecret(config.secretKey, dataPaths(config).secret), 'webhooks');
  const guard = makeTargetGuard(makeAllowList(config.targetAllowlist));
  const targets = new DeliveryTargets({
    webhook: new WebhookTargets({ definitions, cipher, poster: new Poster({ guard, now }), now }),
    channel: channels.targets,
    requestPayloads: requestPayloadsOf(parts, baseUrl),
  });
  const outbox = new Outbox({
    database: events,
    targets,
    concurrency: config.webhookConcurrency,
    clock: systemClock,
    alarm: ringLater,
    random: Math.random,
    observe,
    noteEnd: (end) => countEnd(meter, end),
  });
  const follower = makeFollower(parts, outbox, targets);
  const [eraseAlertMentions, setAlertEraser] = deferred<EraseDeliveries['mentions']>();
  const pruning = prunePeriodically({ config, observe, meter, events });
  return {
    outbox,
    channels: channels.store,
    webhooks: new Webhooks({ definitions, events, outbox, cipher, guard, highWatermark: () => storedOrder.through, now }),
    behindMs: () => follower.behindMs(),
    start: async () => {
      await outbox.start();
      follower.start();
    },
    erase: makeErase(events, outbox, eraseAlertMentions),
    setAlertEraser,
    stop: async () => {
      await follower.stop();
      await Promise.all([pruning.stop(), outbox.stop()]);
    },
  };
}

/** A value that is not there yet, and what gives it. */
function deferred<Value>(): readonly [Promise<Value>, (value: Value) => void] {
  let give: ((value: Value) => void) | undefined;
  const value = new Promise<Value>((resolve) => (give = resolve));
  return [value, (given) => give?.(given)];
}

function makeErase(events: EventsDatabase, outbox: Outbox, eraseAlertMentions: Promise<EraseDeliveries['mentions']>): EraseDeliveries {
  return {
    settle: (organizationId) => outbox.forgetBodies(organizationId),
    ofRequests: async (organizationId, requestIds) => {
      await eraseOfRequests(events, organizationId, requestIds);
    },
    mentions: async (organizationId, userId) => {
      await (
        await eraseAlertMentions
      )(organizationId, userId);
      await eraseMentions(events, organizationId, userId);
      await emptyLog(events);
    },
  };
}

function ringLater(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
}

function prunePeriodically({ config, observe, meter, events }: Pick<FollowingParts, 'config' | 'observe' | 'meter' | 'events'>): {
  readonly stop: () => Promise<void>;
} {
  const limits = { keptMs: config.webhookLogDays * day, maxBytes: config.webhookLogMaxBytes };
  const prune = async (): Promise<void> => {
    try {
      const pruned = await pruneLog(events, limits, systemClock.now());
      if (pruned.expired + pruned.crowdedOut === 0) return;
      countPruned(meter, pruned);
      observe({ kind: 'delivery_log_pruned', ...pruned });
    } catch (error) {
      observe({ kind: 'job_failed', job: 'removal of old deliveries from the log', reason: messageOf(error) });
    }
  };
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(prune);
  }, pruningIntervalMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
