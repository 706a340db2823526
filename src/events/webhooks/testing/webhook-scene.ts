import path from 'node:path';
import { mkdtempSync } from 'node:fs';
import { makeCipher } from '../../../auth/sealing.ts';
import { Poster } from '../../channels/post.ts';
import { makeAllowList } from '../../../egress/allow-list.ts';
import { makeTargetGuard } from '../../../egress/target-guard.ts';
import { DeliveryTargets, type RequestPayloads } from '../../targets/targets.ts';
import type { MetadataQueries } from '../../../metadata/database.ts';
import { type EventsDatabase, openEvents } from '../../database/database.ts';
import { Outbox } from '../../delivery/outbox.ts';
import { systemClock } from '../../../platform/clock.ts';
import { WebhookDefinitions } from '../definitions.ts';
import { WebhookTargets } from '../../targets/webhook-targets.ts';
import { Webhooks } from '../../webhooks.ts';

export interface SceneOptions {
  readonly database: MetadataQueries;
  /** `events.db` comes into a folder of its own in it. */
  readonly folder: string;
  /** As in GATELOG_TARGET_ALLOWLIST. */
  readonly allowed?: readonly string[];
  readonly resolvers?: Parameters<typeof makeTargetGuard>[1];
  readonly requestPayloads?: RequestPayloads;
  /** Trusted certificates. */
  readonly ca?: string;
  readonly highWatermark?: () => number;
  /** Channels of alerts; absent: there are none. */
  readonly channels?: (webhooks: WebhookDefinitions) => DeliveryTargets['channel'];
}

const noChannels: DeliveryTargets['channel'] = {
  state: () => ({ kind: 'removed' }),
  send: async () => {
    throw new Error('There are no channels.');
  },
  nameOf: () => 'A channel',
  noticesOf: () => [],
};

/** Webhooks over real databases, which send over real connections. */
export interface WebhookScene {
  readonly webhooks: Webhooks;
  readonly outbox: Outbox;
  readonly events: EventsDatabase;
  readonly definitions: WebhookDefinitions;
  readonly close: () => Promise<void>;
}

export async function openWebhookScene(options: SceneOptions): Promise<WebhookScene> {
  const { now } = systemClock;
  const events = await openEvents(mkdtempSync(path.join(options.folder, 'events-')), now);
  const definitions = await WebhookDefinitions.open(options.database);
  const cipher = makeCipher(Buffer.alloc(32, 1), 'webhooks');
  const guard = makeTargetGuard(makeAllowList(options.allowed ?? []), options.resolvers);
  const poster = new Poster({ guard, now, timeoutMs: 2000, ...(options.ca === undefined ? {} : { ca: options.ca }) });
  const targets = new DeliveryTargets({
    webhook: new WebhookTargets({ definitions, cipher, poster, now }),
    channel: options.channels?.(definitions) ?? noChannels,
    requestPayloads: options.requestPayloads ?? (async () => new Map()),
  });
  const outbox = new Outbox({
    database: events,
    targets,
    concurrency: 8,
    clock: systemClock,
    alarm: (ms, ring) => {
      const timer = setTimeout(ring, ms);
      return () => clearTimeout(timer);
    },
    random: Math.random,
    observe: () => undefined,
    noteEnd: () => undefined,
  });
  await outbox.start();
  const webhooks = new Webhooks({ definitions, events, outbox, cipher, guard, highWatermark: options.highWatermark ?? (() => 0), now });
  return {
    webhooks,
    outbox,
    events,
    definitions,
    close: async () => {
      await outbox.stop();
      await events.close();
    },
  };
}
