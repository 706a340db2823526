import type { NewDelivery } from '../../../model/events/event.ts';
import type { Webhook } from '../../../model/events/webhook.ts';
import { messageOf } from '../../../model/errors.ts';
import type { RequestId } from '../../../model/ids.ts';
import {
  readUpdatePositions,
  readUpdates,
  removeUpdatePositions,
  removeUpdates,
  storeUpdatePositions,
  type UpdatedRequest,
} from '../../log/updates.ts';
import type { FilterNode } from '../../../query/filter/ast.ts';
import { requestRowsStatement, type StreamRow } from '../../../query/stream/rows.ts';
import type { BodyReading } from '../../../reading/body-runs.ts';
import { FilterFailures } from '../../../reading/filter-failures.ts';
import { matchingRows } from '../../../reading/matching.ts';
import { announceInSlices, type FollowingPorts, loopOf, maxPageRows } from './announce.ts';
import { type Chosen, chosenOf, filterOf, isSampled, noteUndecided, readsInputs, requestDelivery } from './chosen.ts';
import type { PacedLoop } from './paced-loop.ts';
import { fullCheckMs } from './pending-quota.ts';
import type { Turns } from './turns.ts';

/** Numbers of a millisecond in the order of storage. */
const numbersPerMs = 1000;

/** A webhook that asks for updates, and the last one that was looked at for it. */
interface WebhookCursor {
  webhook: Webhook;
  filter: FilterNode;
  position: number;
  readonly failures: FilterFailures;
}

/** Makes deliveries of changed requests, as they are by then. Several changes of a request that are read together are one event. */
export class UpdateEventProducer {
  private readonly reading: BodyReading;
  private readonly ports: FollowingPorts;
  private readonly loop: PacedLoop;
  private webhooks: readonly Webhook[] = [];
  private loaded: readonly Webhook[] | undefined;
  private readonly cursors = new Map<string, WebhookCursor>();
  private fullTimer: NodeJS.Timeout | undefined;

  constructor(reading: BodyReading, ports: FollowingPorts, turns: Turns) {
    this.reading = reading;
    this.ports = ports;
    this.loop = loopOf(ports, reading, turns.updates, () => this.step());
  }

  /** @param webhooks all of the organisation that get events. */
  define(webhooks: readonly Webhook[]): void {
    this.webhooks = webhooks;
    this.loop.run();
  }

  /** Requests were changed. */
  run(): void {
    this.loop.run();
  }

  async close(): Promise<void> {
    clearTimeout(this.fullTimer);
    await this.loop.close();
  }

  /** Looks at the next updates of each webhook that has room. @returns whether there may be more. */
  private async step(): Promise<boolean> {
    await this.load();
    let hasMore = false;
    for (const [after, group] of await this.groups()) {
      const through = this.ports.updateWatermark(this.reading.tenant);
      const updates = await readUpdates(this.ports.database, this.reading.tenant, { after, through, limit: maxPageRows });
      if (updates.length === 0) continue;
      const wereAllAnnounced = await this.announce(group, updates);
      hasMore ||= !wereAllAnnounced || updates.length === maxPageRows;
    }
    return hasMore;
  }

  /** Webhooks that have room, by their position. */
  private async groups(): Promise<ReadonlyMap<number, readonly WebhookCursor[]>> {
    const groups = new Map<number, WebhookCursor[]>();
    for (const cursor of this.cursors.values()) {
      if (await this.ports.quota.hasCapacity(cursor.webhook.id, maxPageRows)) {
        groups.set(cursor.position, [...(groups.get(cursor.position) ?? []), cursor]);
      } else this.checkLater();
    }
    return groups;
  }

  private checkLater(): void {
    this.fullTimer ??= setTimeout(() => {
      this.fullTimer = undefined;
      this.loop.run();
    }, fullCheckMs);
  }

  private async load(): Promise<void> {
    const { webhooks } = this;
    if (this.loaded === webhooks) return;
    const { database, observe } = this.ports;
    const { tenant } = this.reading;
    const stored = await readUpdatePositions(database, tenant);
    const asking = webhooks.filter(({ events }) => events.includes('request.updated'));
    const ids = new Set<string>(asking.map(({ id }) => id));
    await removeUpdatePositions(
      database,
      [...stored.keys()].filter((id) => !ids.has(id)),
    );
    for (const id of this.cursors.keys()) if (!ids.has(id)) this.cursors.delete(id);
    for (const webhook of asking) {
      try {
        const filter = filterOf(webhook);
        const known = this.cursors.get(webhook.id);
        const position = known?.position ?? stored.get(webhook.id) ?? 0;
        this.cursors.set(webhook.id, { webhook, filter, position, failures: known?.failures ?? new FilterFailures() });
      } catch (error) {
        observe({ kind: 'webhooks_behind', reason: messageOf(error) });
      }
    }
    if (asking.length === 0) await removeUpdates(database, tenant, Number.MAX_SAFE_INTEGER);
    this.loaded = webhooks;
  }

  /** @returns whether all of the updates were looked at. */
  private async announce(group: readonly WebhookCursor[], updates: readonly UpdatedRequest[]): Promise<boolean> {
    const { reading, ports } = this;
    const withInputs = group.some(({ filter }) => readsInputs(filter));
    const found = await reading.run<StreamRow>(requestRowsStatement(reading.tenant, updates, withInputs), reading.signal);
    const rank = new Map(updates.toReversed().map(({ requestId }, index) => [requestId as string, -index]));
    const inOrder = found.toSorted((left, right) => (rank.get(left.id) ?? 0) - (rank.get(right.id) ?? 0));
    const decided = await matchingRows(inOrder, [...new Set(group.map(({ filter }) => filter))], reading);
    const { rows, results } = decided;
    reading.memory.keepAnswer(0);
    const changedAt = new Map(updates.map((update) => [update.requestId, update.changedAt]));
    const position = lookedThrough(updates, new Set(inOrder.slice(rows.length).map(({ id }) => id)));
    await announceInSlices(ports, group, {
      deliveriesOf: ({ webhook, filter }) => updatesOf(webhook, chosenOf(rows, results.get(filter)), changedAt),
      storePositions: (transaction, some) =>
        storeUpdatePositions(
          transaction,
          some.map(({ webhook }) => ({ webhookId: webhook.id, organizationId: reading.tenant, position })),
        ),
      moved: (some) => {
        for (const cursor of some) cursor.position = position;
      },
    });
    await noteUndecided(ports, group, { ...decided, type: 'request.updated' });
    await removeUpdates(ports.database, reading.tenant, Math.min(...[...this.cursors.values()].map((cursor) => cursor.position)));
    return rows.length === inOrder.length;
  }
}

/** The last update in front of the first of a request that was not decided. */
function lookedThrough(updates: readonly UpdatedRequest[], undecided: ReadonlySet<string>): number {
  const first = updates.findIndex(({ requestId }) => undecided.has(requestId));
  return (first === -1 ? updates.at(-1) : updates[first - 1])?.seq ?? 0;
}

/** Changes from before the webhook was created, or enabled, are not its own. */
function updatesOf(webhook: Webhook, chosen: readonly Chosen[], changedAt: ReadonlyMap<RequestId, number>): readonly NewDelivery[] {
  return chosen.flatMap((each): readonly NewDelivery[] => {
    const { row } = each;
    const at = changedAt.get(row.id as RequestId) ?? 0;
    if (at * numbersPerMs < webhook.startsAfter || !isSampled(webhook, row.id as RequestId)) return [];
    return [{ ...requestDelivery(webhook, 'request.updated', each), occurredAt: at }];
  });
}
