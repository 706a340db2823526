import type { MetadataQueries } from '../../metadata/database.ts';
import { deleteRow } from '../../metadata/organization/delete-row.ts';
import {
  addWebhook,
  listAllWebhooks,
  replaceWebhook,
  type StoredWebhook,
  type WebhookRefusal,
} from '../../metadata/organization/webhooks.ts';
import type { Webhook } from '../../model/events/webhook.ts';
import type { OrganizationId, Uuid } from '../../model/ids.ts';

export type WebhookChanges = Partial<Omit<StoredWebhook, 'id' | 'organizationId' | 'createdAt'>>;

/** Called after the set of enabled webhooks, or one of them, has changed. */
export type WatchWebhooks = () => void;

/**
 * The webhooks of all organisations. The core alone writes them, so they are in memory too. Invariant: what is read was stored before.
 */
export class WebhookDefinitions {
  private readonly database: MetadataQueries;
  private readonly webhooks: Map<Uuid, StoredWebhook>;
  private readonly watches = new Set<WatchWebhooks>();
  private latest: Promise<void> = Promise.resolve();

  private constructor(database: MetadataQueries, stored: readonly StoredWebhook[]) {
    this.database = database;
    this.webhooks = new Map(stored.map((webhook) => [webhook.id, webhook]));
  }

  static async open(database: MetadataQueries): Promise<WebhookDefinitions> {
    return new WebhookDefinitions(database, await listAllWebhooks(database));
  }

  /** Those of all organisations that get events, oldest first. */
  enabled(): readonly Webhook[] {
    return [...this.webhooks.values()].filter(({ disabled }) => disabled === null);
  }

  /** Oldest first, disabled ones too. */
  of(organizationId: OrganizationId): readonly StoredWebhook[] {
    return [...this.webhooks.values()].filter((webhook) => webhook.organizationId === organizationId);
  }

  find(organizationId: OrganizationId, id: Uuid): StoredWebhook | undefined {
    const webhook = this.webhooks.get(id);
    return webhook?.organizationId === organizationId ? webhook : undefined;
  }

  /** Durable on return. @param max webhooks of an organisation. @returns undefined once it is stored. */
  async add(webhook: StoredWebhook, max: number): Promise<WebhookRefusal | undefined> {
    const refusal = await addWebhook(this.database, webhook, max);
    if (refusal !== undefined) return refusal;
    this.webhooks.set(webhook.id, webhook);
    this.changed();
    return undefined;
  }

  /**
   * Changes a webhook; durable on return. Changes are made one after another. @param changesOf what to change about it as it is by then.
   * @returns the webhook as it is after the change, or why nothing was changed.
   */
  async change(
    organizationId: OrganizationId,
    id: Uuid,
    changesOf: (before: StoredWebhook) => WebhookChanges,
  ): Promise<StoredWebhook | WebhookRefusal> {
    const change = this.latest.then(() => this.applyChange(organizationId, id, changesOf));
    this.latest = change.then(
      () => undefined,
      () => undefined,
    );
    return change;
  }

  /** Durable on return. @returns false when the organisation has none of this identifier. */
  async remove(organizationId: OrganizationId, id: Uuid): Promise<boolean> {
    if (!(await deleteRow(this.database, 'webhooks', organizationId, id))) return false;
    this.webhooks.delete(id);
    this.changed();
    return true;
  }

  /** @returns a function that ends the watch. */
  watch(watch: WatchWebhooks): () => void {
    this.watches.add(watch);
    return () => this.watches.delete(watch);
  }

  private async applyChange(
    organizationId: OrganizationId,
    id: Uuid,
    changesOf: (before: StoredWebhook) => WebhookChanges,
  ): Promise<StoredWebhook | WebhookRefusal> {
    const before = this.find(organizationId, id);
    if (before === undefined) return 'gone';
    const webhook: StoredWebhook = { ...before, ...changesOf(before) };
    const refusal = await replaceWebhook(this.database, webhook);
    if (refusal !== undefined) return refusal;
    // Removed meanwhile: it must not come back.
    if (this.webhooks.has(id)) this.webhooks.set(id, webhook);
    this.changed();
    return webhook;
  }

  private changed(): void {
    for (const watch of this.watches) watch();
  }
}
