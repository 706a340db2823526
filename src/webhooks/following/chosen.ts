import { filterWrappers } from '../../query/filter/leaf.ts';
import { hash } from 'node:crypto';
import type { NewDelivery, WebhookEvent } from '../../model/events/event.ts';
import type { Webhook } from '../../model/events/webhook.ts';
import type { RequestId } from '../../model/ids.ts';
import { conditionsIn, everything, type FilterNode } from '../../query/filter/ast.ts';
import { parseFilter } from '../../query/filter/parse.ts';
import type { StreamRow } from '../../query/stream/rows.ts';

const dialect = { wrappers: filterWrappers, unwrappedProperties: 'refuse' } as const;

/** The filter of a webhook. @throws when it is none: it was checked when it was saved. */
export function filterOf({ id, filter }: Webhook): FilterNode {
  if (filter === null || filter === undefined) return everything;
  const parsed = parseFilter(filter, dialect);
  if (!parsed.ok) throw new Error(`The filter of the webhook ${id} cannot be read: ${parsed.fault.message}`);
  return parsed.value.filter;
}

/** Whether a filter reads prompt inputs. */
export function readsInputs(filter: FilterNode): boolean {
  return conditionsIn(filter).some(({ group }) => group === 'values');
}

const hashRange = 2 ** 48;

/** Whether a request is among those that a webhook gets. It is the same each time, also after a restart. */
export function isSampled({ id, sampleRate }: Pick<Webhook, 'id' | 'sampleRate'>, requestId: RequestId): boolean {
  if (sampleRate >= 100) return true;
  const place = Number.parseInt(hash('sha256', `${id} ${requestId}`, 'hex').slice(0, 12), 16) / hashRange;
  return place < sampleRate / 100;
}

export function requestDelivery(webhook: Webhook, type: WebhookEvent, row: StreamRow): NewDelivery {
  const createdAt = Number(row.created_ms);
  return {
    organizationId: webhook.organizationId,
    target: { kind: 'webhook', webhookId: webhook.id },
    type,
    subject: { kind: 'request', requestId: row.id as RequestId, createdAt },
    occurredAt: Number(row.response_created_ms ?? createdAt),
  };
}
