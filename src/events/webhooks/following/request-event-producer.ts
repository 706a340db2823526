import type { NewDelivery } from '../../../model/events/event.ts';
import type { Webhook } from '../../../model/events/webhook.ts';
import { messageOf } from '../../../model/errors.ts';
import type { OrganizationId, RequestId } from '../../../model/ids.ts';
import { readPositions, removePositions, storePositions, type WebhookPosition } from '../../log/positions.ts';
import { everything, type FilterNode } from '../../../query/filter/ast.ts';
import type { Arrivals, StreamRow } from '../../../query/stream/rows.ts';
import type { BodyReading } from '../../../reading/body-runs.ts';
import { FilterFailures } from '../../../reading/filter-failures.ts';
import { decidedThrough, type FilterResult, matchingRows } from '../../../reading/matching.ts';
import { newRows, PagesBehind, readPage, type ReadPage } from '../../../reading/pages.ts';
import { announceInSlices, type FollowingPorts, loopOf, maxPageRows } from './announce.ts';
import { chosenOf, filterOf, isSampled, noteUndecided, readsInputs, requestDelivery } from './chosen.ts';
import type { PacedLoop } from './paced-loop.ts';
import { fullCheckMs } from './pending-quota.ts';
import type { Turns } from './turns.ts';

/** Stored batches whose times are kept. */
const maxBatches = 1000;
/** Numbers of a millisecond in the order of storage. */
const numbersPerMs = 1000;

interface StoredBatch {
  readonly through: number;
  readonly times: Arrivals | undefined;
}

/** A webhook that asks for new requests, and how far the order of storage was looked at for it. */
interface WebhookCursor {
  webhook: Webhook;
  filter: FilterNode;
  position: number;
  /** A page behind its position is being read. */
  isReading: boolean;
  readonly failures: FilterFailures;
  /** Counts the turns of those that are behind. */
  servedAt: number;
}

/** A loop with what it reads by. */
interface Reader {
  readonly loop: PacedLoop;
  readonly reading: BodyReading;
  /** Of webhooks that are behind, by those that share them. */
  readonly pages: Map<string, PagesBehind>;
}

/**
 * Makes deliveries of what is new in an organisation. Webhooks at the same position share what is read. One without room for deliveries
 * stays behind and reads in a loop of its own, with the patience of an export, so that it delays no other.
 *
 * Invariant: one transaction adds the deliveries of a page for a webhook and moves its position behind it.
 */
export class RequestEventProducer {
  private readonly ports: FollowingPorts;
  private readonly organizationId: OrganizationId;
  private readonly news: Reader;
  private readonly behind: Reader;
  private webhooks: readonly Webhook[] = [];
  private loaded: readonly Webhook[] | undefined;
  private readonly cursors = new Map<string, WebhookCursor>();
  private turnsServed = 0;
  private batches: StoredBatch[] = [];
  /** The batches behind this number are known. */
  private lowWatermark: number;
  private fullTimer: NodeJS.Timeout | undefined;

  /** @param readingOf makes a reading of the organisation; each loop has one. */
  constructor(readingOf: () => BodyReading, ports: FollowingPorts, turns: Turns) {
    const [news, behind] = [readingOf(), readingOf()];
    this.ports = ports;
    this.organizationId = news.tenant;
    this.lowWatermark = ports.highWatermark();
    this.news = { reading: news, pages: new Map(), loop: loopOf(ports, news, turns.news, () => this.enqueueNew()) };
    this.behind = { reading: behind, pages: new Map(), loop: loopOf(ports, behind, turns.behind, () => this.enqueueBehind()) };
  }

  /** @param webhooks all of the organisation that get events. */
  define(webhooks: readonly Webhook[]): void {
    this.webhooks = webhooks;
    this.news.loop.run();
  }

  /** A batch was stored. @param times of the organisation's records in it. */
  note(times: Arrivals | undefined): void {
    this.batches.push({ through: this.ports.highWatermark(), times });
    if (this.batches.length > maxBatches) this.batches = [joined(this.batches)];
    this.news.loop.run();
  }

  /** Delay of the slowest webhook behind the stored records, milliseconds. */
  behindMs(): number {
    const { highWatermark, now } = this.ports;
    const behind = [...this.cursors.values()].filter(({ position }) => position < highWatermark());
    return Math.max(0, ...behind.map(({ position }) => now() - position / numbersPerMs));
  }

  async close(): Promise<void> {
    clearTimeout(this.fullTimer);
    await Promise.all([this.news.loop.close(), this.behind.loop.close()]);
  }

  /** @returns whether there is more to do at once. */
  private async enqueueNew(): Promise<boolean> {
    await this.load();
    const through = this.ports.highWatermark();
    const open = await this.open(through);
    const furthest = Math.max(...open.map(({ position }) => position));
    const leading = open.filter(({ position }) => position === furthest);
    if (open.length > leading.length) this.behind.loop.run();
    if (leading.length > 0) await this.announce(this.news, leading, () => this.newPage(leading, through));
    this.dropBatches();
    return leading.some(({ position }) => position < through);
  }

  /** Those that are behind take turns, a page each. Whoever reaches another one shares its pages from then on. */
  private async enqueueBehind(): Promise<boolean> {
    const furthest = Math.max(...[...this.cursors.values()].map(({ position }) => position));
    const open = await this.open(furthest);
    const [next] = open.toSorted((left, right) => left.servedAt - right.servedAt);
    if (next === undefined) return false;
    const group = open.filter(({ position }) => position === next.position);
    const through = Math.min(furthest, ...open.map(({ position }) => position).filter((position) => position > next.position));
    this.turnsServed += 1;
    for (const cursor of group) cursor.servedAt = this.turnsServed;
    await this.announce(this.behind, group, () => pageBehind(this.behind, group, through));
    return true;
  }

  /** Webhooks that are not at the end, have room, and are not being served. */
  private async open(end: number): Promise<readonly WebhookCursor[]> {
    const open: WebhookCursor[] = [];
    for (const cursor of this.cursors.values()) {
      if (cursor.position >= end || cursor.isReading) continue;
      const hasCapacity = await this.ports.quota.hasCapacity(cursor.webhook.id, maxPageRows);
      // The other loop may have taken it meanwhile.
      if (!hasCapacity) this.checkLater();
      else if (!cursor.isReading) open.push(cursor);
    }
    return open;
  }

  private checkLater(): void {
    this.fullTimer ??= setTimeout(() => {
      this.fullTimer = undefined;
      this.news.loop.run();
    }, fullCheckMs);
  }

  private async load(): Promise<void> {
    const { webhooks } = this;
    if (this.loaded === webhooks) return;
    const { database, observe, highWatermark } = this.ports;
    const stored = new Map((await readPositions(database)).map(({ webhookId, position }) => [webhookId, position]));
    const asking = webhooks.filter(({ events }) => events.includes('request.completed'));
    for (const { id } of webhooks) if (stored.has(id) && !asking.some((webhook) => webhook.id === id)) await removePositions(database, id);
    const ids = new Set<string>(asking.map(({ id }) => id));
    for (const id of this.cursors.keys()) if (!ids.has(id)) this.cursors.delete(id);
    for (const webhook of asking) {
      try {
        this.follow(webhook, filterOf(webhook), Math.min(stored.get(webhook.id) ?? firstPosition(webhook), highWatermark()));
      } catch (error) {
        observe({ kind: 'webhooks_behind', reason: messageOf(error) });
      }
    }
    const cursors = [...this.cursors.values()];
    await storePositions(
      database,
      cursors.map((each) => this.positionOf(each, each.position)),
    );
    this.news.pages.clear();
    this.loaded = webhooks;
  }

  /** @param position that was stored; after a restore from a backup it may have been ahead of all that is stored. */
  private follow(webhook: Webhook, filter: FilterNode, position: number): void {
    const known = this.cursors.get(webhook.id);
    if (known === undefined) {
      const from = Math.max(position, Math.min(webhook.startsAfter, this.ports.highWatermark()));
      const failures = new FilterFailures();
      this.cursors.set(webhook.id, { webhook, filter, position: from, isReading: false, failures, servedAt: 0 });
      return;
    }
    Object.assign(known, {
      webhook,
      filter,
      position: Math.max(known.position, Math.min(webhook.startsAfter, this.ports.highWatermark())),
    });
  }

  private async newPage(leading: readonly WebhookCursor[], through: number): Promise<ReadPage> {
    const position = leading[0]?.position ?? through;
    const { through: noted, times } = joined(this.batches);
    if (position < this.lowWatermark || noted < through) return pageBehind(this.news, leading, through);
    if (times === undefined) return { rows: [], through };
    return readPage(this.news.reading, {
      ...newRows,
      range: { after: position, through },
      arrivals: times,
      withInputs: wantInputs(leading),
    });
  }

  private async announce({ reading }: Reader, group: readonly WebhookCursor[], read: () => Promise<ReadPage>): Promise<void> {
    for (const cursor of group) cursor.isReading = true;
    try {
      const page = await read();
      const decided = await matchingRows(page.rows, [...new Set(group.map(({ filter }) => filter))], reading);
      const { rows, results } = decided;
      const through = decidedThrough(page, decided);
      await announceInSlices(this.ports, group, {
        deliveriesOf: ({ webhook, filter }) => completedOf(webhook, rows, results.get(filter)),
        storePositions: (transaction, some) =>
          storePositions(
            transaction,
            some.map((cursor) => this.positionOf(cursor, through)),
          ),
        moved: (some) => {
          for (const cursor of some) cursor.position = Math.max(cursor.position, through);
        },
      });
      await noteUndecided(this.ports, group, { ...decided, type: 'request.completed' });
    } finally {
      reading.memory.keepAnswer(0);
      for (const cursor of group) cursor.isReading = false;
    }
  }

  private positionOf({ webhook }: WebhookCursor, position: number): WebhookPosition {
    return { webhookId: webhook.id, organizationId: this.organizationId, position };
  }

  private dropBatches(): void {
    const furthest = Math.max(...[...this.cursors.values()].map(({ position }) => position));
    this.batches = this.batches.filter(({ through }) => through > furthest);
    this.lowWatermark = Math.max(this.lowWatermark, furthest);
  }
}

async function pageBehind({ reading, pages }: Reader, group: readonly WebhookCursor[], through: number): Promise<ReadPage> {
  const key = group.map(({ webhook }) => webhook.id).join(' ');
  const own = pages.get(key) ?? new PagesBehind(reading, { filter: everything, withInputs: wantInputs(group) });
  pages.set(key, own);
  const page = await own.next({ after: group[0]?.position ?? through, through });
  if (page.through >= through) pages.delete(key);
  return page;
}

/** Of a webhook that was never followed: one that was changed asks for new requests only since then. */
function firstPosition({ startsAfter, createdAt, changedAt }: Webhook): number {
  return changedAt > createdAt ? Math.max(startsAfter, changedAt * numbersPerMs) : startsAfter;
}

function wantInputs(group: readonly WebhookCursor[]): boolean {
  return group.some(({ filter }) => readsInputs(filter));
}

function completedOf(webhook: Webhook, rows: readonly StreamRow[], result: FilterResult | undefined): readonly NewDelivery[] {
  return chosenOf(rows, result)
    .filter(({ row }) => isSampled(webhook, row.id as RequestId))
    .map((chosen) => requestDelivery(webhook, 'request.completed', chosen));
}

function joined(batches: readonly StoredBatch[]): StoredBatch {
  const times = batches.map((batch) => batch.times).filter((range) => range !== undefined);
  const through = batches.at(-1)?.through ?? -Infinity;
  if (times.length === 0) return { through, times: undefined };
  return { through, times: { fromMs: Math.min(...times.map(({ fromMs }) => fromMs)), toMs: Math.max(...times.map(({ toMs }) => toMs)) } };
}
