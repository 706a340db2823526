import type { StoredChannel } from '../../../model/events/channel.ts';
import type { OrganizationId } from '../../../model/ids.ts';
import type { ChannelMessage } from '../../channels/channel-message.ts';
import { ChannelTargets, type ChannelTargetOptions } from '../channel-targets.ts';
import { MailNotices } from '../mail-notices.ts';
import type { Attempted } from '../target.ts';

/** Makes one attempt to send a message to a channel of an organisation's rule. */
export type SendToChannel = (organizationId: OrganizationId, channel: StoredChannel, message: ChannelMessage) => Promise<Attempted>;

/** Channels of a rule, which send over real connections. */
export function channelSender(options: Omit<ChannelTargetOptions, 'alerts' | 'notices'>): SendToChannel {
  return async (organizationId, channel, { id, type, content, body, sentAt }) => {
    const alerts = { of: () => [{ id: 'rule', channels: [channel] }], deletedRule: () => undefined };
    const notices = new MailNotices({ alerts, webhooks: { of: () => [] }, now: Date.now });
    const target = { kind: 'channel', alertId: 'rule', channelId: channel.id } as const;
    const subject = { kind: 'message', content } as const;
    const delivery = { id, organizationId, target, type, subject, occurredAt: sentAt, createdAt: sentAt, attempts: 0, step: 0 };
    const targets = new ChannelTargets({ ...options, alerts, notices });
    return targets.send({ delivery, body, at: sentAt }, new AbortController().signal);
  };
}
