import { v7 } from 'uuid';
import { Alerts, type AlertChannels } from './alerts.ts';
import type { AlertDefinitions } from './definitions.ts';
import { Evaluator } from './evaluator.ts';
import type { Subscribers } from './evaluation/messages.ts';
import { DirtyMinutes } from './late/dirty-minutes.ts';
import { checkLate } from './late/late-check.ts';
import { countRound, recordIncidents } from './metrics.ts';
import type { Config } from '../config/load.ts';
import type { Uuid } from '../model/ids.ts';
import type { Observe } from '../model/observation.ts';
import type { Outbox } from '../events/delivery/outbox.ts';
import type { EventsDatabase } from '../events/database/database.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Meter } from '../platform/metrics/meter.ts';
import type { Store } from '../store/store.ts';
import type { WebhookDefinitions } from '../events/webhooks/definitions.ts';
import type { Events } from '../events/open.ts';

export interface AlertParts {
  readonly definitions: AlertDefinitions;
  readonly events: EventsDatabase;
  readonly webhooks: Pick<WebhookDefinitions, 'of'>;
  readonly store: Pick<Store, 'run' | 'rowChanges'>;
  readonly meter: Meter;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly groupsMaxBytes: number;
}

export interface AlertDependencies {
  readonly channels: AlertChannels;
  readonly outbox: Pick<Outbox, 'wake'>;
  readonly baseUrl: () => string;
}

export interface RunningAlerts {
  /** For the API. */
  readonly alerts: Alerts;
  readonly evaluator: Evaluator;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

const hourMs = 3_600_000;

/** Rules that alert, with their evaluator. Organisations that were not offered any rules are. */
export async function openAlerts(parts: AlertParts, { channels, outbox, baseUrl }: AlertDependencies): Promise<RunningAlerts> {
  const { definitions, events, webhooks, store, meter, observe, clock, intervalMs } = parts;
  await definitions.offer(clock.now());
  const linkOf = (ruleId: string): string => `${baseUrl()}/alerts/${ruleId}`;
  const subscribers: Subscribers = (organizationId, event) =>
    webhooks
      .of(organizationId)
      .filter(({ disabled, events: asked }) => disabled === null && asked.includes(event))
      .map(({ id }) => id);
  const changed = new DirtyMinutes(clock.now);
  store.rowChanges.watch(changed.note);
  const late = { changed, run: store.run, events, linkOf, subscribers, outbox };
  const evaluator = new Evaluator({
    definitions,
    run: store.run,
    events,
    clock,
    intervalMs,
    linkOf,
    subscribers,
    outbox,
    observe,
    groupsMaxBytes: parts.groupsMaxBytes,
    late: {
      retain: (organizationIds) => changed.retain(organizationIds),
      check: (organizationId, ready, time) => checkLate(late, organizationId, ready, time),
    },
    onRound: (round) => countRound(meter, round),
    onIncidents: (open) => recordIncidents(meter, open),
  });
  await evaluator.open();
  const now = clock.now();
  // What was stored just before the last process ended may not have been looked at.
  for (const { organizationId } of definitions.all()) changed.mark(organizationId, { from: now - hourMs, to: now });
  const alerts = new Alerts({
    definitions,
    evaluator,
    events,
    run: store.run,
    channels,
    outbox,
    intervalMs,
    linkOf,
    webhookNameOf: (organizationId, webhookId) => webhooks.of(organizationId).find(({ id }) => id === webhookId)?.name ?? null,
    newId: () => v7() as Uuid,
    now: clock.now,
  });
  return { alerts, evaluator, start: () => evaluator.start(), stop: () => evaluator.stop() };
}

/** The alerts of the core. @param baseUrl of the API. */
export async function openCoreAlerts(
  parts: Omit<AlertParts, 'definitions' | 'clock' | 'intervalMs' | 'groupsMaxBytes'> & {
    readonly config: Config;
    readonly alerts: AlertDefinitions;
  },
  events: Pick<Events, 'outbox' | 'channels' | 'setAlertEraser'>,
  baseUrl: () => string,
): Promise<RunningAlerts> {
  const { config, alerts: definitions } = parts;
  const isReadable: AlertChannels['isReadable'] = (organizationId, channel) => events.channels.open(organizationId, channel) !== undefined;
  const running = await openAlerts(
    { ...parts, definitions, clock: systemClock, intervalMs: config.alertIntervalMs, groupsMaxBytes: config.alertGroupsMaxBytes },
    {
      channels: { store: events.channels.store, isReadable },
      outbox: events.outbox,
      baseUrl,
    },
  );
  events.setAlertEraser((organizationId, userId) => running.evaluator.eraseMentions(organizationId, userId));
  return running;
}
