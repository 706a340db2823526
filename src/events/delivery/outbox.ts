import type { NewDelivery } from '../../model/events/event.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import type { Clock } from '../../platform/clock.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import { addDeliveries } from '../log/add-deliveries.ts';
import { Allowance } from './allowance.ts';
import type { AttemptEnd } from './attempt-end.ts';
import { makeAttempt } from './attempts.ts';
import type { EventsDatabase } from '../database/database.ts';
import { listTargets, type KnownTarget, readDelivery } from '../log/due.ts';
import { EndWriter } from './end-writer.ts';
import { Feed, type FeedOptions } from './feed.ts';
import { forgetFailures } from '../log/remove.ts';
import type { DisablingReason } from '../schema/schema.ts';
import { Slots } from './slots.ts';
import { type EndStatements, prepareEnds, storeEnds } from './store-ends.ts';
import { targetKey } from '../log/target.ts';
import type { DeliveryTargets } from '../targets/targets.ts';

/** Bodies that feeds of quick destinations make ahead, of at most some 20 KiB each. */
const maxAhead = 1024;
/** Ends in memory, beyond which no attempt begins: the database cannot be written. */
const maxUnstored = 1000;
/** A stopping outbox gives running attempts this long; what is aborted is attempted again after the next start. */
const attemptsEndMs = 500;
/** A delivery that is attempted at once is due so much later, in case that this process dies. */
const immediateAttemptLeaseMs = 60_000;
/** Maximum wait for the end of an attempt to be stored. */
const storedWithinMs = 5000;

/**
 * # The outbox: events on their way to those who asked for them
 *
 * `events.db` holds what is to be delivered, what was, and how each attempt ended. A delivery is there before anybody acts on it; an attempt
 * that was begun leaves no trace until it has ended. So after a kill every delivery whose end is not on disk is attempted again, under the
 * identifier that it had: at least once.
 *
 * Each target is fed by itself: what is due is read, its bodies are made, the attempts begin, and their ends are stored together. A request
 * event has no body here. It is made from the store at each attempt and used within a second, so that nothing is sent of what was erased.
 *
 * Bounds: attempts at once to a destination, of an organisation and over all (`Gate`, `Slots`), so that slow destinations delay neither
 * others of their organisation nor other organisations; ends in memory (`maxUnstored`).
 */
export interface OutboxOptions {
  readonly database: EventsDatabase;
  readonly targets: DeliveryTargets;
  /** To one destination. */
  readonly concurrency: number;
  readonly clock: Clock;
  /** Calls once after some milliseconds. @returns a function that takes it back. */
  readonly alarm: (ms: number, ring: () => void) => () => void;
  /** From 0, below 1. */
  readonly random: () => number;
  readonly observe: Observe;
  readonly noteEnd: (end: AttemptEnd) => void;
}

/** An end on its way to disk. */
interface Ended {
  readonly end: AttemptEnd;
  readonly stored: (disabling: DisablingReason | null) => void;
}

/** A target, as deliveries and their rows name it. */
export type TargetRef = Pick<NewDelivery, 'organizationId' | 'target'>;

export class Outbox {
  private readonly options: OutboxOptions;
  private readonly feeds = new Map<string, Feed>();
  private readonly slots: Slots;
  private readonly writer: EndWriter<Ended>;
  private readonly stopping = new AbortController();
  private readonly feedOptions: FeedOptions;
  private readonly endStatements: EndStatements;
  private readonly tested = new Set<string>();
  private isStarted = false;

  constructor(options: OutboxOptions) {
    this.options = options;
    const { database, targets, clock, alarm, random } = options;
    this.endStatements = prepareEnds(database);
    this.slots = new Slots(options.concurrency, clock.now);
    this.writer = new EndWriter({
      store: (ends) => this.store(ends),
      failed: (error) => this.failed(messageOf(error)),
    });
    this.feedOptions = {
      database,
      targets,
      clock,
      alarm,
      random,
      stopping: this.stopping.signal,
      slots: this.slots,
      ahead: new Allowance(maxAhead),
      mayBegin: () => this.writer.waiting < maxUnstored,
      ended: (end, feed) => this.writer.add({ end, stored: (disabling) => feed.stored(end.delivery.id, disabling) }),
      failed: (reason) => this.failed(reason),
      finished: (feed) => this.feeds.delete(feed.key),
    };
  }

  /** Goes on with what is pending, disabled or removed. */
  async start(): Promise<void> {
    this.isStarted = true;
    for (const target of await listTargets(this.options.database)) void this.feed(target).run();
  }

  /** Call it after a commit that added deliveries, or made some due, and after a change of their targets. */
  wake(targets: Iterable<TargetRef>): void {
    if (!this.isStarted) return;
    const keys = new Map([...targets].map((target) => [targetKey(target.target), target.organizationId]));
    for (const [key, organizationId] of keys) void this.feed({ key, organizationId }).run();
  }

  /** Attempts a new delivery at once, whatever else waits for its target. @throws GatelogError `service_busy` while another one is. */
  async attemptNow(delivery: NewDelivery): Promise<AttemptEnd> {
    const key = targetKey(delivery.target);
    if (this.tested.has(key)) {
      throw new GatelogError('service_busy', 'Another test of this webhook is being made; try again when it is done.');
    }
    this.tested.add(key);
    try {
      return await this.attemptAt(delivery);
    } finally {
      this.tested.delete(key);
    }
  }

  /** Failures of the target do not count any more: it was enabled again. */
  async reopen(target: TargetRef): Promise<void> {
    await forgetFailures(this.options.database, targetKey(target.target));
    this.feeds.get(targetKey(target.target))?.reopen();
  }

  /** Waits until nothing is sent any more that was read before this call. */
  async forgetBodies(organizationId: OrganizationId): Promise<void> {
    const feeds = [...this.feeds.values()].filter((feed) => feed.organizationId === organizationId);
    await Promise.all(feeds.map((feed) => feed.forgetBodies()));
  }

  async stop(): Promise<void> {
    this.isStarted = false;
    const aborting = setTimeout(() => this.stopping.abort(new Error('the outbox is stopping')), attemptsEndMs);
    await Promise.all([...this.feeds.values()].map((feed) => feed.stop()));
    clearTimeout(aborting);
    this.stopping.abort(new Error('the outbox has stopped'));
    await this.writer.finish();
  }

  private feed(target: KnownTarget): Feed {
    const there = this.feeds.get(target.key);
    if (there !== undefined) return there;
    const feed = new Feed(target, this.feedOptions);
    this.feeds.set(target.key, feed);
    return feed;
  }

  private async attemptAt(delivery: NewDelivery): Promise<AttemptEnd> {
    const { database, targets, clock } = this.options;
    const now = clock.now();
    const added = await inWriteTransaction(database, async (transaction) => {
      const [id = ''] = await addDeliveries(transaction, [delivery], now);
      await transaction.queries
        .updateTable('deliveries')
        .set({ due_at: now + immediateAttemptLeaseMs })
        .where('id', '=', id)
        .execute();
      return readDelivery(transaction, id);
    });
    const payloads = await targets.payloadsOf([added], this.stopping.signal);
    const end = await makeAttempt(added, payloads.get(added.id), this.feedOptions);
    if (end === undefined) throw new GatelogError('service_busy', 'The service is stopping; try again shortly.');
    await this.stored(end);
    return end;
  }

  private async stored(end: AttemptEnd): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new GatelogError('events_unavailable', 'The database of events cannot be used at the moment; try again shortly.'));
      }, storedWithinMs);
      this.writer.add({
        end,
        stored: () => {
          clearTimeout(late);
          resolve();
        },
      });
    });
  }

  private async store(ended: readonly Ended[]): Promise<void> {
    const { database, targets, noteEnd } = this.options;
    const ends = ended.map(({ end }) => end);
    const { notices, disabling } = await inWriteTransaction(database, (transaction) =>
      storeEnds(transaction, this.endStatements, ends, targets),
    );
    for (const { end, stored } of ended) {
      noteEnd(end);
      stored(disabling.get(targetKey(end.delivery.target)) ?? null);
    }
    this.wake(notices);
  }

  private failed(reason: string): void {
    this.options.observe({ kind: 'outbox_failed', reason });
  }
}
