import type { AlertMessage } from '../../model/events/alert-message.ts';
import type { AttemptOutcome } from '../../model/events/attempt.ts';
import type { ChatService } from '../../model/events/channel.ts';
import type { EventType } from '../../model/events/event.ts';
import type { JsonObject } from '../../model/text.ts';
import type { Mail } from './mailer.ts';
import { mailContent, noticeMail, type WebhookNotice } from './payloads/mail.ts';
import { pagerDutyEvent, pagerDutyResolve } from './payloads/pagerduty.ts';
import { slackPayload } from './payloads/slack.ts';
import { teamsPayload } from './payloads/teams.ts';
import { type JsonPost, requestHeadOf } from './post.ts';
import type { ChannelSecret } from './stored-channels.ts';
import { signedPost } from './webhook.ts';

export interface ChannelMessage {
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

export interface ChannelPost {
  readonly post: JsonPost;
  /** Request line and headers, without the secret part of the address. */
  readonly requestHead: string;
  /** Posted once the first one is delivered. */
  readonly followUp: JsonPost | undefined;
}

const chatPayloads: Readonly<Record<ChatService, (alert: AlertMessage) => object>> = { slack: slackPayload, teams: teamsPayload };

export function channelPost(secret: ChannelSecret, message: ChannelMessage, pagerDutyUrl: string): ChannelPost {
  const alert = message.content as unknown as AlertMessage;
  switch (secret.type) {
    case 'webhook': {
      const { destination, hmacKey } = secret;
      const { id, sentAt, body } = message;
      const post = signedPost({ destination, secrets: [{ hmacKey }], id, sentAt, body });
      return { post, requestHead: requestHeadOf(post).replace(/^POST \S+/, 'POST /…'), followUp: undefined };
    }
    case 'pagerduty': {
      const { routingKey } = secret;
      // A test is closed at once; a resolve that is lost leaves an open test, of the lowest severity.
      const followUp = alert.kind === 'test' ? jsonPost(pagerDutyUrl, pagerDutyResolve(alert, routingKey)) : undefined;
      return { ...withHead(jsonPost(pagerDutyUrl, pagerDutyEvent(alert, routingKey))), followUp };
    }
    default:
      return { ...withHead(jsonPost(secret.url, chatPayloads[secret.type](alert))), followUp: undefined };
  }
}

/** How an attempt ended. PagerDuty asks not to repeat what it answered with 400. */
export function channelOutcome(type: ChannelSecret['type'], outcome: AttemptOutcome): AttemptOutcome {
  const { kind, response } = outcome;
  if (type !== 'pagerduty' || kind !== 'failed' || response?.status !== 400) return outcome;
  const reason = 'PagerDuty answered 400: it does not take the event. Check the integration key.';
  return { kind: 'refused', reason, response, disables: false };
}

export function channelMail(to: readonly string[], { id, type, content }: ChannelMessage): Mail {
  if (type === 'webhook.exhausted' || type === 'webhook.disabled') {
    const notice = content as unknown as WebhookNotice;
    return { ...noticeMail(type === 'webhook.disabled', notice), to, id, topic: notice.webhook_id };
  }
  const alert = content as unknown as AlertMessage;
  return { ...mailContent(alert), to, id, topic: alert.dedupKey };
}

function jsonPost(address: string, payload: object): JsonPost {
  return { address, body: JSON.stringify(payload) };
}

function withHead(post: JsonPost): Omit<ChannelPost, 'followUp'> {
  return { post, requestHead: requestHeadOf({ address: shownAddress(post.address), body: post.body }) };
}

/** Path and query of chat services are their secret. */
function shownAddress(address: string): string {
  return URL.canParse(address) ? `${new URL(address).origin}/…` : 'http://invalid/…';
}
