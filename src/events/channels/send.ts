import type { AlertMessage } from '../../model/events/alert-message.ts';
import type { AttemptOutcome } from '../../model/events/attempt.ts';
import type { ChatService, StoredChannel } from '../../model/events/channel.ts';
import type { EventType } from '../../model/events/event.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { JsonObject } from '../../model/text.ts';
import { type MailAllowance, type MailPolicy, recipientProblem } from './mail-policy.ts';
import type { Mail, SendMail } from './mailer.ts';
import { mailContent, noticeMail, type WebhookNotice } from './payloads/mail.ts';
import { pagerDutyEvent, pagerDutyResolve } from './payloads/pagerduty.ts';
import { slackPayload } from './payloads/slack.ts';
import { teamsPayload } from './payloads/teams.ts';
import { type Post, requestHeadOf } from './post.ts';
import type { ChannelSecret } from './stored-channels.ts';
import { postWebhook } from './webhook.ts';

export interface ChannelMessage {
  readonly organizationId: OrganizationId;
  /** The same for all attempts. */
  readonly id: string;
  readonly type: EventType;
  /** Of an alert, or of a webhook that fails: of that only mail tells. */
  readonly content: JsonObject;
  /** What a webhook is sent. */
  readonly body: string;
  /** Of the attempt, Unix milliseconds. */
  readonly sentAt: number;
}

export interface Told {
  readonly outcome: AttemptOutcome;
  /** Request line and headers, without the secret part of the address; undefined: not an HTTP request. */
  readonly requestHead: string | undefined;
}

export interface ChannelSenderOptions {
  readonly post: Post;
  /** Undefined: the deployment has no mail server. */
  readonly mail: (Pick<MailPolicy, 'domains'> & { readonly send: SendMail; readonly allowance: MailAllowance }) | undefined;
  readonly pagerDutyUrl: string;
}

/** Tells one channel of one message, once. @throws the reason of the signal, once it has aborted. */
export type TellChannel = (
  channel: StoredChannel,
  secret: ChannelSecret | null,
  message: ChannelMessage,
  signal: AbortSignal,
) => Promise<Told>;

const chatPayloads: Readonly<Record<ChatService, (alert: AlertMessage) => object>> = { slack: slackPayload, teams: teamsPayload };

export function makeChannelSender({ post, mail, pagerDutyUrl }: ChannelSenderOptions): TellChannel {
  const postJson = async (address: string, payload: object, signal: AbortSignal): Promise<Told> => {
    const body = JSON.stringify(payload);
    return { outcome: await post({ address, body }, signal), requestHead: requestHeadOf({ address: shownAddress(address), body }) };
  };
  const page = async (alert: AlertMessage, routingKey: string, signal: AbortSignal): Promise<Told> => {
    const told = await postJson(pagerDutyUrl, pagerDutyEvent(alert, routingKey), signal);
    const { outcome } = told;
    // A test is closed at once; a resolve that is lost leaves an open test, of the lowest severity.
    if (alert.kind === 'test' && outcome.kind === 'delivered') await postJson(pagerDutyUrl, pagerDutyResolve(alert, routingKey), signal);
    return outcome.kind === 'failed' && outcome.response?.status === 400 ? { ...told, outcome: rejectedByPager(outcome) } : told;
  };
  return async (channel, secret, message, signal) => {
    const alert = message.content as unknown as AlertMessage;
    if (secret === null) {
      if (channel.type !== 'email') return unsent('The channel has no address.');
      if (mail === undefined) return unsent('This deployment has no mail server any more; set GATELOG_SMTP_URL.');
      const to = channel.shown.to ?? [];
      const problem = to.map((address) => recipientProblem(mail, address)).find((each) => each !== undefined);
      const refusal = problem ?? mail.allowance.take(message.organizationId, to.length);
      if (refusal !== undefined) return unsent(refusal);
      return { outcome: await mail.send(mailOf(to, message), signal), requestHead: undefined };
    }
    switch (secret.type) {
      case 'webhook': {
        const { destination, hmacKey } = secret;
        const { id, sentAt, body } = message;
        const { outcome, requestHead } = await postWebhook(post, { destination, secrets: [{ hmacKey }], id, sentAt, body }, signal);
        return { outcome, requestHead: requestHead.replace(/^POST \S+/, 'POST /…') };
      }
      case 'pagerduty':
        return page(alert, secret.routingKey, signal);
      default:
        return postJson(secret.url, chatPayloads[secret.type](alert), signal);
    }
  };
}

function mailOf(to: readonly string[], { id, type, content }: ChannelMessage): Mail {
  if (type === 'webhook.exhausted' || type === 'webhook.disabled') {
    const notice = content as unknown as WebhookNotice;
    return { ...noticeMail(type === 'webhook.disabled', notice), to, id, topic: notice.webhook_id };
  }
  const alert = content as unknown as AlertMessage;
  return { ...mailContent(alert), to, id, topic: alert.dedupKey };
}

/** PagerDuty asks not to repeat what it answered with 400. */
function rejectedByPager({ response }: AttemptOutcome): AttemptOutcome {
  const reason = 'PagerDuty answered 400: it does not take the event. Check the integration key.';
  return { kind: 'refused', reason, response, disables: false };
}

function unsent(reason: string): Told {
  return { outcome: { kind: 'refused', reason, response: undefined, disables: false, isUnsent: true }, requestHead: undefined };
}

/** Path and query of chat services are their secret. */
function shownAddress(address: string): string {
  return URL.canParse(address) ? `${new URL(address).origin}/…` : 'http://invalid/…';
}
