import { filterWrappers } from '../../../query/filter/leaf.ts';
import { hash } from 'node:crypto';
import type { NewDelivery, WebhookEvent } from '../../../model/events/event.ts';
import type { Webhook } from '../../../model/events/webhook.ts';
import type { RequestId } from '../../../model/ids.ts';
import { conditionsIn, everything, type FilterNode } from '../../../query/filter/ast.ts';
import { parseFilter } from '../../../query/filter/parse.ts';
import type { StreamRow } from '../../../query/stream/rows.ts';
import type { FilterFailures } from '../../../reading/filter-failures.ts';
import type { FilterResult } from '../../../reading/matching.ts';
import type { FollowingPorts } from './announce.ts';

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
  const fraction = Number.parseInt(hash('sha256', `${id} ${requestId}`, 'hex').slice(0, 12), 16) / hashRange;
  return fraction < sampleRate / 100;
}

/** A request that a webhook gets, or about which its filter could not decide. */
export interface Chosen {
  readonly row: StreamRow;
  /** Why the filter could not decide, to be read behind a colon. */
  readonly undecided: string | undefined;
}

export function chosenOf(rows: readonly StreamRow[], result: FilterResult | undefined): readonly Chosen[] {
  return rows.flatMap((row) => {
    const undecided = result?.passedBy.get(row);
    return undecided !== undefined || result?.matched.has(row) === true ? [{ row, undecided }] : [];
  });
}

export function requestDelivery(webhook: Webhook, type: WebhookEvent, { row, undecided }: Chosen): NewDelivery {
  const createdAt = Number(row.created_ms);
  return {
    organizationId: webhook.organizationId,
    target: { kind: 'webhook', webhookId: webhook.id },
    type,
    subject: { kind: 'request', requestId: row.id as RequestId, createdAt },
    occurredAt: Number(row.response_created_ms ?? createdAt),
    ...(undecided === undefined ? {} : { undecided: `Not sent. The filter could not decide about the request: ${undecided}.` }),
  };
}

/** A page that was looked at. */
interface Decided {
  readonly rows: readonly StreamRow[];
  readonly results: ReadonlyMap<FilterNode, FilterResult>;
  readonly type: WebhookEvent;
}

/** Says that filters could not decide about requests, and gives up webhooks with which that goes on. */
export async function noteUndecided(
  { observe, giveUp, now }: Pick<FollowingPorts, 'observe' | 'giveUp' | 'now'>,
  group: readonly { readonly webhook: Webhook; readonly filter: FilterNode; readonly failures: FilterFailures }[],
  { rows, results, type }: Decided,
): Promise<void> {
  const failed = [...results.values()].filter(({ passedBy }) => passedBy.size > 0);
  const [reason] = failed[0]?.passedBy.values() ?? [];
  if (reason !== undefined) {
    observe({ kind: 'webhook_filter_failed', requests: failed.reduce((sum, { passedBy }) => sum + passedBy.size, 0), reason });
  }
  for (const { webhook, filter, failures } of group) {
    const result = results.get(filter);
    const givenUp = result && failures.after(rows, result, now());
    if (givenUp !== undefined) await giveUp(webhook, type, givenUp);
  }
}
