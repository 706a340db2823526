import type { NewDelivery } from '../../model/events/event.ts';
import { withoutPath } from '../channels/stored-channels.ts';
import type { WebhookDefinitions } from '../webhooks/definitions.ts';
import type { ChannelOwners, ChannelTarget, Notice } from './target.ts';

/** One mail an hour about a webhook whose deliveries are given up. */
const noticeEveryMs = 3_600_000;
/** Mail channels that are notified of a failing webhook. */
const maxNotified = 5;
const maxRemembered = 10_000;

export interface MailNoticeOptions {
  readonly alerts: Pick<ChannelOwners, 'of'>;
  readonly webhooks: Pick<WebhookDefinitions, 'of'>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Mails about webhooks that fail, to the mail channels of the organisation. */
export class MailNotices {
  private readonly options: MailNoticeOptions;
  private readonly notifiedAt = new Map<string, number>();

  constructor(options: MailNoticeOptions) {
    this.options = options;
  }

  of({ type, organizationId, target, deliveryId, eventType, reason, at }: Notice): readonly NewDelivery[] {
    if (target.kind !== 'webhook') return [];
    const { alerts, webhooks, now } = this.options;
    const topic = `${type} ${target.webhookId}`;
    if (now() - (this.notifiedAt.get(topic) ?? -Infinity) < noticeEveryMs) return [];
    const mails = new Map<string, ChannelTarget>();
    for (const { id: alertId, channels } of alerts.of(organizationId)) {
      for (const { id: channelId, type: channel, shown } of channels) {
        const key = (shown.to ?? []).join();
        if (channel === 'email' && mails.size < maxNotified && !mails.has(key)) mails.set(key, { kind: 'channel', alertId, channelId });
      }
    }
    if (this.notifiedAt.size >= maxRemembered) this.notifiedAt.clear();
    if (mails.size > 0) this.notifiedAt.set(topic, now());
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
  }
}
