import { v7 } from 'uuid';
import { makeCipher } from '../auth/sealing.ts';
import { deploymentSecret } from '../auth/secret-key.ts';
import { MailAllowance } from './channels/mail-policy.ts';
import { makeMailer } from './channels/mailer.ts';
import { makePost } from './channels/post.ts';
import { makeChannelSender } from './channels/send.ts';
import { type ChannelStore, makeChannelStore, withoutPath } from './channels/stored-channels.ts';
import { type Config, mailSenderOf } from '../config/load.ts';
import { makeAllowList } from '../egress/allow-list.ts';
import { makeTargetGuard } from '../egress/target-guard.ts';
import type { StoredChannel } from '../model/events/channel.ts';
import type { DeliveryTarget, NewDelivery } from '../model/events/event.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { Attempted, Notice } from './delivery/ports.ts';
import { systemClock } from '../platform/clock.ts';
import type { WebhookDefinitions } from './webhooks/definitions.ts';
import { dataPaths } from '../config/data-paths.ts';
import type { DeliveryHandler } from './targets.ts';

type ChannelTarget = Extract<DeliveryTarget, { readonly kind: 'channel' }>;

interface ChannelOwner {
  readonly id: string;
  readonly channels: readonly StoredChannel[];
}

export interface AlertChannelParts {
  readonly config: Config;
  readonly webhooks: Pick<WebhookDefinitions, 'of'>;
  /** Rules with their channels. */
  readonly alerts: {
    readonly of: (organizationId: OrganizationId) => readonly ChannelOwner[];
    /** A rule that was deleted, while its channels are told that it ended. */
    readonly deletedRule: (id: string) => (ChannelOwner & { readonly organizationId: OrganizationId }) | undefined;
  };
}

export interface AlertChannels {
  readonly store: ChannelStore;
  readonly handler: DeliveryHandler<'channel'>;
}

/** One mail an hour about a webhook whose deliveries are given up. */
const noticeEveryMs = 3_600_000;
/** Mail channels that are told of a failing webhook. */
const maxNotified = 5;
const maxRemembered = 10_000;

/** The channels of alerts: how they are stored, and as targets of the outbox. */
export function makeAlertChannels({ config, webhooks, alerts }: AlertChannelParts): AlertChannels {
  const { now } = systemClock;
  const guard = makeTargetGuard(makeAllowList(config.targetAllowlist));
  const sender = mailSenderOf(config);
  const sendMail = config.smtpUrl === undefined || sender === undefined ? undefined : makeMailer({ server: config.smtpUrl, sender });
  const { mailDomains: domains, mailRecipientsMax: maxRecipients, mailPerHour: maxPerHour } = config;
  const store = makeChannelStore({
    cipher: makeCipher(deploymentSecret(config.secretKey, dataPaths(config).secret), 'channels'),
    guard,
    webhookOf: (organizationId, wanted) =>
      webhooks.of(organizationId).find(({ id, name }) => ('id' in wanted ? id === wanted.id : name === wanted.name))?.id,
    mail: sendMail === undefined ? undefined : { domains, maxRecipients, maxPerHour },
    channelsOf: (organizationId) => alerts.of(organizationId).flatMap(({ channels }) => channels),
    newId: v7,
  });
  const allowance = new MailAllowance(maxPerHour, systemClock.monotonic);
  const mail = sendMail === undefined ? undefined : { send: sendMail, domains, allowance };
  const tell = makeChannelSender({ post: makePost({ guard, now }), mail, pagerDutyUrl: config.pagerDutyUrl });
  const ownerOf = (organizationId: OrganizationId, alertId: string): ChannelOwner | undefined => {
    const deletedRule = alerts.deletedRule(alertId);
    if (deletedRule?.organizationId === organizationId) return deletedRule;
    return alerts.of(organizationId).find(({ id }) => id === alertId);
  };
  const find = (organizationId: OrganizationId, { alertId, channelId }: ChannelTarget): StoredChannel | undefined =>
    ownerOf(organizationId, alertId)?.channels.find(({ id }) => id === channelId);
  const handler: DeliveryHandler<'channel'> = {
    state: (organizationId, target) =>
      find(organizationId, target) === undefined ? { kind: 'removed' } : { kind: 'open', destination: `channel ${target.channelId}` },
    send: async ({ delivery, body, at }, signal) => {
      const { organizationId, target, subject, id, type } = delivery;
      const channel = target.kind === 'channel' ? find(organizationId, target) : undefined;
      if (channel === undefined || subject.kind !== 'message') return unsent('The channel was removed.', 'refused');
      const secret = store.open(organizationId, channel);
      return secret === undefined
        ? unsent('The channel cannot be decrypted: this deployment has another secret key. Give the channel anew.', 'failed')
        : tell(channel, secret, { organizationId, id, type, content: subject.content, body, sentAt: at }, signal);
    },
    // A rule goes on to fire, and its deliveries show which messages failed.
    disable: async () => undefined,
    nameOf: (organizationId, target) => channelName(find(organizationId, target)),
    noticesOf: makeMailNotices({ alerts, webhooks }, now),
  };
  return { store, handler };
}

/** Mails about webhooks that fail, to the mail channels of the organisation. */
function makeMailNotices(
  { alerts, webhooks }: Pick<AlertChannelParts, 'alerts' | 'webhooks'>,
  now: () => number,
): (notice: Notice) => readonly NewDelivery[] {
  const toldAt = new Map<string, number>();
  return ({ type, organizationId, target, deliveryId, eventType, reason, at }) => {
    if (target.kind !== 'webhook') return [];
    const topic = `${type} ${target.webhookId}`;
    if (now() - (toldAt.get(topic) ?? -Infinity) < noticeEveryMs) return [];
    const mails = new Map<string, ChannelTarget>();
    for (const { id: alertId, channels } of alerts.of(organizationId)) {
      for (const { id: channelId, type: channel, shown } of channels) {
        const key = (shown.to ?? []).join();
        if (channel === 'email' && mails.size < maxNotified && !mails.has(key)) mails.set(key, { kind: 'channel', alertId, channelId });
      }
    }
    if (toldAt.size >= maxRemembered) toldAt.clear();
    if (mails.size > 0) toldAt.set(topic, now());
    const webhook = webhooks.of(organizationId).find(({ id }) => id === target.webhookId);
    const destination = webhook === undefined ? null : withoutPath(webhook.destination);
    const named = { webhook_id: target.webhookId, name: webhook?.name ?? null, destination };
    const content = { ...named, delivery_id: deliveryId, event: eventType, reason };
    return [...mails.values()].map((mail) => ({
      organizationId,
      target: mail,
      type,
      subject: { kind: 'message', content },
      occurredAt: at,
    }));
  };
}

/** `The channel slack (https://hooks.slack.com/…)`. */
function channelName(channel: StoredChannel | undefined): string {
  if (channel === undefined) return 'A channel that was removed';
  const { type, shown } = channel;
  const place = shown.destination ?? shown.url ?? shown.to?.join(', ');
  return `The channel ${type}${place === undefined ? '' : ` (${place})`}`;
}

function unsent(reason: string, kind: 'refused' | 'failed'): Attempted {
  const outcome = { reason, response: undefined };
  return {
    outcome: kind === 'refused' ? { ...outcome, kind, disables: false } : { ...outcome, kind, retryAfterMs: undefined },
    requestHead: undefined,
  };
}
