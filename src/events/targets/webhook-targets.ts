import type { Cipher } from '../../auth/sealing.ts';
import { type Poster, requestHeadOf } from '../channels/post.ts';
import { withoutPath } from '../channels/stored-channels.ts';
import { signedPost } from '../channels/webhook.ts';
import type { NewDelivery } from '../../model/events/event.ts';
import type { DisabledReason } from '../../model/events/webhook.ts';
import type { OrganizationId, Uuid } from '../../model/ids.ts';
import type { WebhookDefinitions } from '../webhooks/definitions.ts';
import { signingSecrets } from '../webhooks/secrets.ts';
import { type Attempt, type Attempted, type Notice, notSent, type TargetState, type WebhookTarget } from './target.ts';

export interface WebhookTargetOptions {
  readonly definitions: WebhookDefinitions;
  readonly cipher: Cipher;
  readonly poster: Poster;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Webhooks as targets of the outbox. */
export class WebhookTargets {
  private readonly options: WebhookTargetOptions;

  constructor(options: WebhookTargetOptions) {
    this.options = options;
  }

  state(organizationId: OrganizationId, { webhookId }: WebhookTarget): TargetState {
    const webhook = this.options.definitions.find(organizationId, webhookId as Uuid);
    if (webhook === undefined) return { kind: 'removed' };
    return webhook.disabled === null ? { kind: 'open', destination: webhook.destination } : { kind: 'disabled' };
  }

  /** Sends a signed event, once. @throws the reason of the signal, once it has aborted. */
  async send({ delivery, body, at }: Attempt, signal: AbortSignal): Promise<Attempted> {
    const { definitions, cipher, poster } = this.options;
    const { organizationId, target, id } = delivery;
    const webhook = target.kind === 'webhook' ? definitions.find(organizationId, target.webhookId as Uuid) : undefined;
    if (webhook === undefined) return notSent('The webhook was deleted.', 'refused');
    const secrets = signingSecrets(cipher, webhook, at);
    if (secrets === undefined) {
      return notSent(
        'The secret of the webhook cannot be decrypted: this deployment has another secret key. Rotate the webhook’s secret.',
        'failed',
      );
    }
    const post = signedPost({ id, sentAt: at, body, secrets, destination: webhook.destination });
    return { outcome: await poster.post(post, signal), requestHead: requestHeadOf(post) };
  }

  async disable(organizationId: OrganizationId, { webhookId }: WebhookTarget, reason: DisabledReason): Promise<void> {
    const { definitions, now } = this.options;
    await definitions.change(organizationId, webhookId as Uuid, ({ disabled, changedAt }) => {
      const at = now();
      return disabled === null ? { disabled: { at, reason }, changedAt: at } : { disabled, changedAt };
    });
  }

  /** Notifies the organisation's other webhooks, whatever events they ask for. They are not told path and query of the failing one. */
  noticesOf({ type, organizationId, target, deliveryId, eventType, reason, at }: Notice): readonly NewDelivery[] {
    if (target.kind !== 'webhook') return [];
    const { definitions } = this.options;
    const failing = definitions.find(organizationId, target.webhookId as Uuid);
    const content = {
      webhook_id: target.webhookId,
      name: failing?.name ?? null,
      destination: failing === undefined ? null : withoutPath(failing.destination),
      delivery_id: deliveryId,
      event: eventType,
      reason,
    };
    const others = definitions.of(organizationId).filter((webhook) => webhook.id !== target.webhookId && webhook.disabled === null);
    return others.map(({ id }) => ({
      organizationId,
      target: { kind: 'webhook', webhookId: id },
      type,
      subject: { kind: 'message', content },
      occurredAt: at,
    }));
  }
}
