import type { Selectable } from 'kysely';
import type { WebhookEvent } from '../../model/events/event.ts';
import type { DisabledReason, Webhook } from '../../model/events/webhook.ts';
import type { OrganizationId, Uuid } from '../../model/ids.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { MetadataQueries } from '../database.ts';
import type { WebhooksTable } from '../schema/schema.ts';

export interface SealedSecrets {
  readonly sealed: string;
  readonly previous: { readonly sealed: string; readonly endsAt: number } | null;
}

export interface StoredWebhook extends Webhook {
  readonly secrets: SealedSecrets;
}

interface StoredConfig {
  readonly filter: unknown;
  readonly sampleRate: number;
  readonly events: readonly WebhookEvent[];
}

/** Why a webhook was not stored; nothing is changed then. */
export type WebhookRefusal = 'too_many' | 'name_taken' | 'gone';

/** Stores a new webhook; durable on return in the core. @param max webhooks of an organisation. @returns undefined once it is stored. */
export async function addWebhook(database: MetadataQueries, webhook: StoredWebhook, max: number): Promise<WebhookRefusal | undefined> {
  return inWriteTransaction(database, async ({ queries }) => {
    const existing = await namesOf({ queries }, webhook.organizationId);
    if (existing.length >= max) return 'too_many';
    if (isTaken(existing, webhook)) return 'name_taken';
    await queries.insertInto('webhooks').values(rowOf(webhook)).execute();
    return undefined;
  });
}

/** Every webhook of every organisation, oldest first. */
export async function listAllWebhooks({ queries }: MetadataQueries): Promise<readonly StoredWebhook[]> {
  const rows = await queries.selectFrom('webhooks').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map(webhookOf);
}

/** Replaces what is stored of a webhook; durable on return in the core. @returns undefined once it is stored. */
export async function replaceWebhook(database: MetadataQueries, webhook: StoredWebhook): Promise<WebhookRefusal | undefined> {
  return inWriteTransaction(database, async ({ queries }) => {
    const existing = await namesOf({ queries }, webhook.organizationId);
    if (existing.every(({ id }) => id !== webhook.id)) return 'gone';
    if (isTaken(existing, webhook)) return 'name_taken';
    await queries.updateTable('webhooks').set(rowOf(webhook)).where('id', '=', webhook.id).execute();
    return undefined;
  });
}

type Named = Pick<Webhook, 'id' | 'name'>;

async function namesOf({ queries }: MetadataQueries, organizationId: OrganizationId): Promise<readonly Named[]> {
  const rows = await queries.selectFrom('webhooks').select(['id', 'name']).where('organization_id', '=', organizationId).execute();
  return rows.map(({ id, name }) => ({ id: id as Uuid, name }));
}

/** Names identify webhooks where a file defines them. Any number may have none. */
function isTaken(existing: readonly Named[], { id, name }: Named): boolean {
  return name !== null && existing.some((other) => other.id !== id && other.name === name);
}

function rowOf({ filter, sampleRate, events, secrets, disabled, ...webhook }: StoredWebhook): Selectable<WebhooksTable> {
  const config: StoredConfig = { filter, sampleRate, events };
  return {
    id: webhook.id,
    organization_id: webhook.organizationId,
    name: webhook.name,
    destination: webhook.destination,
    config: JSON.stringify(config),
    include_data: webhook.includeData ? 1 : 0,
    sealed: secrets.sealed,
    previous_sealed: secrets.previous?.sealed ?? null,
    previous_ends_at: secrets.previous?.endsAt ?? null,
    starts_after: webhook.startsAfter,
    disabled_at: disabled?.at ?? null,
    disabled_reason: disabled?.reason ?? null,
    created_at: webhook.createdAt,
    changed_at: webhook.changedAt,
  };
}

function webhookOf(row: Selectable<WebhooksTable>): StoredWebhook {
  const { filter, sampleRate, events } = JSON.parse(row.config) as StoredConfig;
  return {
    id: row.id as Uuid,
    organizationId: row.organization_id as OrganizationId,
    name: row.name,
    destination: row.destination,
    filter,
    sampleRate,
    events,
    includeData: row.include_data === 1,
    startsAfter: row.starts_after,
    disabled: disabledOf(row.disabled_at, row.disabled_reason),
    createdAt: row.created_at,
    changedAt: row.changed_at,
    secrets: {
      sealed: row.sealed,
      previous: row.previous_sealed === null ? null : { sealed: row.previous_sealed, endsAt: row.previous_ends_at ?? 0 },
    },
  };
}

function disabledOf(at: number | null, reason: DisabledReason | null): Webhook['disabled'] {
  return at === null || reason === null ? null : { at, reason };
}
