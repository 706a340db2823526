import type { StoredChannel } from '../../model/events/channel.ts';
import type { AttemptOutcome } from '../../model/events/attempt.ts';
import type { NewDelivery } from '../../model/events/event.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { channelMail, type ChannelMessage, channelOutcome, channelPost } from '../channels/channel-message.ts';
import { type MailAllowance, type MailPolicy, recipientProblem } from '../channels/mail-policy.ts';
import type { SendMail } from '../channels/mailer.ts';
import type { Poster } from '../channels/post.ts';
import type { ChannelStore } from '../channels/stored-channels.ts';
import type { MailNotices } from './mail-notices.ts';
import {
  type Attempt,
  type Attempted,
  type ChannelOwner,
  type ChannelOwners,
  type ChannelTarget,
  type Notice,
  notSent,
  type TargetState,
} from './target.ts';

export interface ChannelTargetOptions {
  readonly alerts: ChannelOwners;
  readonly store: Pick<ChannelStore, 'open'>;
  readonly poster: Poster;
  /** Undefined: the deployment has no mail server. */
  readonly mail: (Pick<MailPolicy, 'domains'> & { readonly send: SendMail; readonly allowance: MailAllowance }) | undefined;
  readonly pagerDutyUrl: string;
  readonly notices: MailNotices;
}

/** Channels of alert rules as targets of the outbox. */
export class ChannelTargets {
  private readonly options: ChannelTargetOptions;

  constructor(options: ChannelTargetOptions) {
    this.options = options;
  }

  state(organizationId: OrganizationId, target: ChannelTarget): TargetState {
    return this.find(organizationId, target) === undefined
      ? { kind: 'removed' }
      : { kind: 'open', destination: `channel ${target.channelId}` };
  }

  /** Sends a message to its channel, once. @throws the reason of the signal, once it has aborted. */
  async send({ delivery, body, at }: Attempt, signal: AbortSignal): Promise<Attempted> {
    const { store, poster, pagerDutyUrl } = this.options;
    const { organizationId, target, subject, id, type } = delivery;
    const channel = target.kind === 'channel' ? this.find(organizationId, target) : undefined;
    if (channel === undefined || subject.kind !== 'message') return notSent('The channel was removed.', 'refused');
    const secret = store.open(organizationId, channel);
    if (secret === undefined) {
      return notSent('The channel cannot be decrypted: this deployment has another secret key. Add the channel again.', 'failed');
    }
    const message = { id, type, content: subject.content, body, sentAt: at };
    if (secret === null) return { outcome: await this.mail(organizationId, channel, message, signal), requestHead: undefined };
    const { post, requestHead, followUp } = channelPost(secret, message, pagerDutyUrl);
    const outcome = await poster.post(post, signal);
    if (followUp !== undefined && outcome.kind === 'delivered') await poster.post(followUp, signal);
    return { outcome: channelOutcome(secret.type, outcome), requestHead };
  }

  /** `The channel slack (https://hooks.slack.com/…)`. */
  nameOf(organizationId: OrganizationId, target: ChannelTarget): string {
    const channel = this.find(organizationId, target);
    if (channel === undefined) return 'A channel that was removed';
    const { type, shown } = channel;
    const address = shown.destination ?? shown.url ?? shown.to?.join(', ');
    return `The channel ${type}${address === undefined ? '' : ` (${address})`}`;
  }

  noticesOf(notice: Notice): readonly NewDelivery[] {
    return this.options.notices.of(notice);
  }

  private async mail(
    organizationId: OrganizationId,
    { type, shown }: StoredChannel,
    message: ChannelMessage,
    signal: AbortSignal,
  ): Promise<AttemptOutcome> {
    const { mail } = this.options;
    if (type !== 'email') return unsent('The channel has no address.');
    if (mail === undefined) return unsent('This deployment has no mail server any more; set GATELOG_SMTP_URL.');
    const to = shown.to ?? [];
    const problem = to.map((address) => recipientProblem(mail, address)).find((each) => each !== undefined);
    const refusal = problem ?? mail.allowance.take(organizationId, to.length);
    return refusal === undefined ? mail.send(channelMail(to, message), signal) : unsent(refusal);
  }

  private find(organizationId: OrganizationId, { alertId, channelId }: ChannelTarget): StoredChannel | undefined {
    return this.ownerOf(organizationId, alertId)?.channels.find(({ id }) => id === channelId);
  }

  private ownerOf(organizationId: OrganizationId, alertId: string): ChannelOwner | undefined {
    const { alerts } = this.options;
    const deletedRule = alerts.deletedRule(alertId);
    if (deletedRule?.organizationId === organizationId) return deletedRule;
    return alerts.of(organizationId).find(({ id }) => id === alertId);
  }
}

/** Says nothing of the channel itself. */
function unsent(reason: string): AttemptOutcome {
  return { kind: 'refused', reason, response: undefined, disables: false, isUnsent: true };
}
