import { v7 } from 'uuid';
import type { Cipher } from '../auth/sealing.ts';
import { newSigningSecret, type SigningSecret, standardForm } from './channels/signature.ts';
import type { EgressPolicy } from '../egress/target-guard.ts';
import type { StoredWebhook, WebhookRefusal } from '../metadata/organization/webhooks.ts';
import type { DeliveryTarget, NewDelivery } from '../model/events/event.ts';
import type { Webhook } from '../model/events/webhook.ts';
import type { OrganizationId, Uuid } from '../model/ids.ts';
import { webhookLimits } from '../model/vocabulary/limits.ts';
import type { EventsDatabase } from './database/database.ts';
import {
  findDelivery,
  listDeliveries,
  type LoggedAttempts,
  type LoggedDelivery,
  type LogPage,
  recoverDeliveries,
  replayDelivery,
} from './log/deliveries.ts';
import type { Outbox } from './delivery/outbox.ts';
import { readPosition } from './log/positions.ts';
import { readTargetStatus, type TargetStatus } from './log/status.ts';
import { targetKey } from './log/target.ts';
import type { WebhookDefinitions } from './webhooks/definitions.ts';
import { rotated, sealSecret } from './webhooks/secrets.ts';

/** A secret in both forms. */
export interface SecretView extends SigningSecret {
  /** As libraries of Standard Webhooks take it. */
  readonly secret: string;
}

/** What a caller says of a webhook. */
export type WebhookInput = Pick<Webhook, 'name' | 'destination' | 'filter' | 'sampleRate' | 'events' | 'includeData'> & {
  /** Undefined: as it is. */
  readonly isEnabled: boolean | undefined;
};

export interface WebhookStatus extends TargetStatus {
  /** How far deliveries are behind the stored records and their schedule, milliseconds. */
  readonly behindMs: number;
}

export interface WebhookView {
  readonly webhook: Webhook;
  readonly status: WebhookStatus;
}

export type NewWebhook = WebhookView & SecretView;

export interface WebhookParts {
  readonly definitions: WebhookDefinitions;
  readonly events: EventsDatabase;
  readonly outbox: Pick<Outbox, 'wake' | 'reopen' | 'attemptNow'>;
  readonly cipher: Cipher;
  readonly guard: EgressPolicy;
  /** Greatest number of stored records. */
  readonly highWatermark: () => number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** What the API does with webhooks. Identifiers of other organisations are unknown ones. Changes are durable on return. */
export class Webhooks {
  private readonly parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.parts = parts;
  }

  /** @returns why nothing may be sent there, to be read after the address; undefined when it may. */
  destinationProblem(destination: string): string | undefined {
    const checked = this.parts.guard.check(destination, 'events');
    return 'problem' in checked ? checked.problem : undefined;
  }

  /** Oldest first. */
  async list(organizationId: OrganizationId): Promise<readonly WebhookView[]> {
    return Promise.all(this.parts.definitions.of(organizationId).map((webhook) => this.shown(webhook)));
  }

  async find(organizationId: OrganizationId, id: Uuid): Promise<WebhookView | undefined> {
    const webhook = this.parts.definitions.find(organizationId, id);
    return webhook === undefined ? undefined : this.shown(webhook);
  }

  /** @returns why it is not created, else the webhook with its secret. */
  async create(organizationId: OrganizationId, { isEnabled, ...given }: WebhookInput): Promise<NewWebhook | WebhookRefusal> {
    const { definitions, cipher, highWatermark, now } = this.parts;
    const at = now();
    const id = v7() as Uuid;
    const secret = newSigningSecret();
    const webhook: StoredWebhook = {
      ...given,
      id,
      organizationId,
      startsAfter: highWatermark(),
      disabled: isEnabled === false ? { at, reason: 'by_owner' } : null,
      createdAt: at,
      changedAt: at,
      secrets: { sealed: sealSecret(cipher, { id, organizationId }, secret), previous: null },
    };
    const refusal = await definitions.add(webhook, webhookLimits.webhooks);
    return refusal ?? { ...(await this.shown(webhook)), ...shownSecret(secret) };
  }

  /** @returns why it is not replaced, `gone` for an unknown one; else the webhook. */
  async replace(organizationId: OrganizationId, id: Uuid, { isEnabled, ...given }: WebhookInput): Promise<WebhookView | WebhookRefusal> {
    const { definitions, outbox, highWatermark, now } = this.parts;
    const target = { organizationId, target: targetOf(id) };
    const there = definitions.find(organizationId, id);
    if (there === undefined) return 'gone';
    // Before it is enabled: a failure of old must not disable it again.
    if ((there.disabled !== null && isEnabled === true) || there.destination !== given.destination) await outbox.reopen(target);
    const webhook = await definitions.change(organizationId, id, (before) => {
      const at = now();
      const disabled = disabledAfter(before.disabled, isEnabled, at);
      const isOpened = before.disabled !== null && disabled === null;
      return { ...given, disabled, changedAt: at, ...(isOpened ? { startsAfter: highWatermark() } : {}) };
    });
    outbox.wake([target]);
    return typeof webhook === 'string' ? webhook : this.shown(webhook);
  }

  /** Its deliveries and their log go with it. @returns false for an unknown one. */
  async remove(organizationId: OrganizationId, id: Uuid): Promise<boolean> {
    const isRemoved = await this.parts.definitions.remove(organizationId, id);
    if (isRemoved) this.parts.outbox.wake([{ organizationId, target: targetOf(id) }]);
    return isRemoved;
  }

  /** @returns the new secret, and until when the previous one signs too, Unix milliseconds; undefined for an unknown webhook. */
  async rotateSecret(organizationId: OrganizationId, id: Uuid): Promise<(SecretView & { readonly previousEndsAt: number }) | undefined> {
    const { definitions, cipher, now } = this.parts;
    const secret = newSigningSecret();
    const webhook = await definitions.change(organizationId, id, (before) => {
      const at = now();
      return { secrets: rotated(before.secrets, sealSecret(cipher, before, secret), at), changedAt: at };
    });
    if (typeof webhook === 'string') return undefined;
    return { ...shownSecret(secret), previousEndsAt: webhook.secrets.previous?.endsAt ?? webhook.changedAt };
  }

  /** Sends an event at once, also to a disabled webhook. @returns undefined for an unknown one. @throws GatelogError `service_busy`. */
  async test(organizationId: OrganizationId, id: Uuid): Promise<LoggedAttempts | undefined> {
    const { definitions, outbox, events, now } = this.parts;
    const webhook = definitions.find(organizationId, id);
    if (webhook === undefined) return undefined;
    const delivery: NewDelivery = {
      organizationId,
      target: targetOf(id),
      type: 'webhook.test',
      subject: { kind: 'message', content: { webhook_id: id, name: webhook.name } },
      occurredAt: now(),
    };
    const end = await outbox.attemptNow(delivery);
    return findDelivery(events, targetKey(delivery.target), end.delivery.id);
  }

  /** Newest first. @returns undefined for an unknown webhook. */
  async deliveries(organizationId: OrganizationId, id: Uuid, page: LogPage): Promise<readonly LoggedDelivery[] | undefined> {
    const key = this.keyOf(organizationId, id);
    return key === undefined ? undefined : listDeliveries(this.parts.events, key, page);
  }

  async delivery(organizationId: OrganizationId, id: Uuid, deliveryId: string): Promise<LoggedAttempts | undefined> {
    const key = this.keyOf(organizationId, id);
    return key === undefined ? undefined : findDelivery(this.parts.events, key, deliveryId);
  }

  /** @returns false for an unknown delivery. */
  async replay(organizationId: OrganizationId, id: Uuid, deliveryId: string): Promise<boolean> {
    const { events, outbox, now } = this.parts;
    const key = this.keyOf(organizationId, id);
    if (key === undefined || !(await replayDelivery(events, key, deliveryId, now()))) return false;
    outbox.wake([{ organizationId, target: targetOf(id) }]);
    return true;
  }

  /** @param since Unix milliseconds. @returns how many are delivered again; undefined for an unknown webhook. */
  async recover(organizationId: OrganizationId, id: Uuid, since: number): Promise<number | undefined> {
    const { events, outbox, now } = this.parts;
    const key = this.keyOf(organizationId, id);
    if (key === undefined) return undefined;
    const recovered = await recoverDeliveries(events, { key, organizationId }, since, now());
    outbox.wake([{ organizationId, target: targetOf(id) }]);
    return recovered;
  }

  private keyOf(organizationId: OrganizationId, id: Uuid): string | undefined {
    return this.parts.definitions.find(organizationId, id) === undefined ? undefined : targetKey(targetOf(id));
  }

  private async shown(webhook: Webhook): Promise<WebhookView> {
    const { events, highWatermark, now } = this.parts;
    const status = await readTargetStatus(events, targetKey(targetOf(webhook.id)), now());
    const position = Math.max(webhook.startsAfter, (await readPosition(events, webhook.id)) ?? 0);
    const isBehind = webhook.disabled === null && position < highWatermark();
    // Numbers of the order of storage are microseconds.
    const readingMs = isBehind ? Math.max(0, now() - position / 1000) : 0;
    return { webhook, status: { ...status, behindMs: Math.max(readingMs, status.overdueMs) } };
  }
}

function shownSecret(secret: SigningSecret): SecretView {
  return { ...secret, secret: standardForm(secret) };
}

function targetOf(webhookId: Uuid): DeliveryTarget {
  return { kind: 'webhook', webhookId };
}

/** @param isEnabled what the caller says; undefined: as it is. */
function disabledAfter(before: Webhook['disabled'], isEnabled: boolean | undefined, at: number): Webhook['disabled'] {
  if (isEnabled === undefined) return before;
  return isEnabled ? null : (before ?? { at, reason: 'by_owner' });
}
