import { messageOf } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Allowance } from './allowance.ts';
import type { AttemptEnd } from './attempt-end.ts';
import { type AttemptOptions, makeAttempt } from './attempts.ts';
import type { EventsDatabase } from '../database/database.ts';
import { type Delivery, nextDueAt, type KnownTarget, readDue } from '../log/due.ts';
import type { Gate } from './gate.ts';
import { endPending, noteDisabled, removeTarget } from '../log/remove.ts';
import { askedWaitMs } from './schedule.ts';
import type { DisablingReason } from '../schema/schema.ts';
import type { Slots } from './slots.ts';
import { healthOf } from './store-ends.ts';
import { targetOfKey } from '../log/target.ts';
import type { Payload } from '../targets/target.ts';

/** Bodies made at once: reading many costs little more than one, so a destination that takes them quickly gets more. */
const fewAtOnce = 16;
const manyAtOnce = 256;
/** A body that was made longer ago is made again: its request may have been changed or removed. */
const bodyMaxAgeMs = 1000;
/** While bodies cannot be made, or the database cannot be read. */
const retryMs = 5000;

/** What all feeds share. */
export interface FeedOptions extends AttemptOptions {
  readonly database: EventsDatabase;
  readonly slots: Slots;
  /** @returns a function that takes the call back. */
  readonly alarm: (ms: number, ring: () => void) => () => void;
  /** Whether another attempt may begin: not while too many ends are not stored. */
  readonly mayBegin: () => boolean;
  readonly ended: (end: AttemptEnd, feed: Feed) => void;
  readonly failed: (reason: string) => void;
  /** Bodies that all feeds have made beyond {@link fewAtOnce} each. */
  readonly ahead: Allowance;
  /** Nothing is pending for the target. */
  readonly finished: (feed: Feed) => void;
}

interface Ready {
  readonly delivery: Delivery;
  readonly payload: Payload | undefined;
  /** By the monotonic clock, milliseconds. */
  readonly madeAt: number;
}

/** Delivers to one target. */
export class Feed implements KnownTarget {
  readonly key: string;
  readonly organizationId: OrganizationId;
  private readonly options: FeedOptions;
  /** Read, and not stored as ended yet. */
  private readonly held = new Set<string>();
  private ready: Ready[] = [];
  private atOnce = fewAtOnce;
  /** Of {@link FeedOptions.ahead}. */
  private ahead = 0;
  private readonly attempts = new Set<Promise<void>>();
  /** Raised when bodies must not be sent that are being made. */
  private generation = 0;
  private isStopped = false;
  private isRunning = false;
  private isAskedAgain = false;
  private cancelAlarm = (): void => undefined;
  private readonly ring = (): void => void this.run();
  private failedInARow: number | undefined;
  private destination = '';
  private disabling: DisablingReason | null = null;

  constructor({ key, organizationId }: KnownTarget, options: FeedOptions) {
    this.key = key;
    this.organizationId = organizationId;
    this.options = options;
  }

  /** Begins the attempts of what is due, as far as the bounds allow. Asked again meanwhile, it looks again. */
  async run(): Promise<void> {
    this.isAskedAgain = true;
    if (this.isRunning || this.isStopped) return;
    this.isRunning = true;
    while (this.isAskedAgain && !this.isStopped) {
      this.isAskedAgain = false;
      try {
        const gate = await this.openGate();
        if (gate === undefined) continue;
        if (this.ready.length === 0 && !(await this.makeReady(gate))) {
          this.options.slots.passOn();
          continue;
        }
        for (const { delivery, payload } of this.takeReady(gate)) {
          this.options.slots.began(gate);
          const attempt = makeAttempt(delivery, payload, this.options)
            .then((end) => this.attempted(delivery, gate, end))
            .finally(() => this.attempts.delete(attempt));
          this.attempts.add(attempt);
        }
        this.isAskedAgain = true;
      } catch (error) {
        this.waitAfter(error);
      }
    }
    this.isRunning = false;
  }

  /** An end of this target is stored. @param isDisabling whether it disables the target. */
  stored(id: string, isDisabling: DisablingReason | null): void {
    this.held.delete(id);
    this.disabling ??= isDisabling;
    this.ring();
  }

  /** Its failures were forgotten. */
  reopen(): void {
    this.disabling = null;
    this.options.slots.reopen(this.destination);
    this.ring();
  }

  /** Throws away bodies that were made and not sent, and waits for the end of attempts that run. */
  async forgetBodies(): Promise<void> {
    this.generation += 1;
    this.forgetReady();
    await Promise.all(this.attempts);
  }

  /** Begins nothing more. @returns once no attempt runs. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancelAlarm();
    await Promise.all(this.attempts);
  }

  private forgetReady(): void {
    for (const { delivery } of this.ready) this.held.delete(delivery.id);
    this.ready = [];
    this.giveBack();
  }

  private giveBack(): void {
    this.options.ahead.give(this.ahead);
    this.ahead = 0;
  }

  private waitAfter(error: unknown): void {
    if (this.ready.length === 0) this.giveBack();
    this.options.failed(messageOf(error));
    this.ringIn(retryMs);
  }

  /** @returns the gate of the target's destination when an attempt may begin; else the feed waits, or ends. */
  private async openGate(): Promise<Gate | undefined> {
    const { targets, slots } = this.options;
    const target = targetOfKey(this.key);
    await this.readHealth();
    if (this.disabling !== null) {
      await targets.disable(this.organizationId, target, this.disabling);
      this.disabling = null;
    }
    const state = targets.state(this.organizationId, target);
    if (state.kind !== 'open') {
      await this.close(state.kind);
      return undefined;
    }
    this.destination = `${this.organizationId} ${state.destination}`;
    const gate = slots.gateOf(this.organizationId, this.destination, this.failedInARow ?? 0);
    if (this.options.mayBegin() && slots.free(gate) > 0) return gate;
    this.waitFor(gate);
    return undefined;
  }

  private async readHealth(): Promise<void> {
    if (this.failedInARow !== undefined) return;
    const row = await this.options.database.queries.selectFrom('targets').selectAll().where('target', '=', this.key).executeTakeFirst();
    this.failedInARow = row?.failed_in_a_row ?? 0;
    this.disabling ??= row === undefined ? null : healthOf(row).disabling;
  }

  private async close(state: 'disabled' | 'removed'): Promise<void> {
    const { database, clock } = this.options;
    this.forgetReady();
    if (state === 'removed') await removeTarget(database, this);
    else {
      await endPending(database, this, clock.now());
      await noteDisabled(database, this.key);
    }
    this.finish();
  }

  private waitFor(gate: Gate): void {
    const { slots, clock } = this.options;
    const now = clock.now();
    if (gate.opensAt > now) this.ringIn(gate.opensAt - now);
    else slots.await(gate, this.ring);
  }

  /** @returns whether something is due. */
  private async makeReady(gate: Gate): Promise<boolean> {
    const { database, targets, clock, stopping } = this.options;
    const now = clock.now();
    this.giveBack();
    this.ahead = this.options.ahead.take(this.atOnce - fewAtOnce);
    const wanted = gate.isProbing ? 1 : fewAtOnce + this.ahead;
    const read = await readDue(database, this.key, now, wanted + this.held.size);
    const due = read.filter(({ id }) => !this.held.has(id)).slice(0, wanted);
    if (due.length === 0) {
      this.giveBack();
      const next = await nextDueAt(database, this.key, now);
      if (next !== undefined) this.ringIn(next - now);
      else this.finish();
      return false;
    }
    const madeAt = clock.monotonic();
    const generation = this.generation;
    const payloads = await targets.payloadsOf(due, stopping);
    if (generation !== this.generation) return true;
    for (const delivery of due) {
      this.held.add(delivery.id);
      this.ready.push({ delivery, payload: payloads.get(delivery.id), madeAt });
    }
    return true;
  }

  /** What may begin, one after another; what was made too long ago is read again. */
  private *takeReady(gate: Gate): Generator<Ready> {
    const { slots, clock } = this.options;
    while (this.ready.length > 0 && slots.free(gate) > 0) {
      const next = this.ready.shift();
      if (next === undefined) return;
      const ageMs = clock.monotonic() - next.madeAt;
      if (ageMs > bodyMaxAgeMs) {
        this.held.delete(next.delivery.id);
        this.atOnce = fewAtOnce;
        continue;
      }
      const isLast = this.ready.length === 0;
      if (isLast) this.atOnce = ageMs < bodyMaxAgeMs / 4 ? Math.min(manyAtOnce, this.atOnce * 2) : Math.max(fewAtOnce, this.atOnce);
      yield next;
    }
  }

  private attempted({ id }: Delivery, gate: Gate, end: AttemptEnd | undefined): void {
    this.count(gate, end);
    this.options.slots.ended(gate);
    if (end === undefined) this.held.delete(id);
    else this.options.ended(end, this);
    this.ring();
  }

  private count(gate: Gate, end: AttemptEnd | undefined): void {
    if (end === undefined || end.attempted === 'gone') return gate.abandoned();
    const { outcome } = end.attempted;
    if (outcome.kind === 'delivered') return gate.succeeded();
    if (outcome.kind === 'refused' && outcome.isUnsent === true) return gate.abandoned();
    return gate.failed(this.options.clock.now(), outcome.kind === 'failed' ? askedWaitMs(outcome) : 0);
  }

  /** Unless something came meanwhile. */
  private finish(): void {
    if (this.held.size > 0 || this.isAskedAgain) return;
    this.cancelAlarm();
    this.options.slots.forget(this.destination);
    this.options.finished(this);
  }

  private ringIn(ms: number): void {
    this.cancelAlarm();
    this.cancelAlarm = this.options.alarm(ms, this.ring);
  }
}
