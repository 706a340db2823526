import type { OrganizationId } from '../../model/ids.ts';
import { type ArrivalRange, arrivalsOf } from '../../store/insert/row-key.ts';

/** Numbers of a millisecond. */
const numbersPerMs = 1000;

/** Called for each stored batch. @param arrivals of the watched organisation's records in it; undefined without any. */
export type WatchStored = (arrivals: ArrivalRange | undefined) => void;

/**
 * The order in which records are stored. Times do not give it: a long call is stored after shorter ones that began later. Each record has a
 * number that is greater than those of all records stored before, so that a reader who has everything up to a number goes on behind it, also
 * after a restart.
 *
 * Numbers are microseconds of the clock while that goes forward, so that they increase even when a spool has lost its checkpoint.
 * Invariant: a batch that is repeated has the numbers that it had.
 * Invariant: up to `through`, every record is visible that ever will be.
 */
export class StoredOrder {
  private given: number;
  private highWatermark: number;
  private readonly watches = new Map<WatchStored, OrganizationId>();

  /** @param lastNumber of the accepted batches. */
  constructor(lastNumber: number) {
    this.given = lastNumber;
    this.highWatermark = lastNumber;
  }

  /** @param at Unix milliseconds. */
  static numberAt(at: number): number {
    return Math.floor(at) * numbersPerMs;
  }

  /** The greatest number of accepted batches. */
  get through(): number {
    return this.highWatermark;
  }

  /** @returns the number of the first of `count` records. @param now Unix milliseconds. */
  take(count: number, now: number): number {
    const first = Math.max(this.given + 1, StoredOrder.numberAt(now));
    this.given = first + count - 1;
    return first;
  }

  /** A batch up to this number was accepted. @param rows of `requests`. */
  accept(through: number, rows: readonly Uint8Array[]): void {
    this.given = Math.max(this.given, through);
    this.highWatermark = Math.max(this.highWatermark, through);
    if (this.watches.size === 0) return;
    const arrivals = arrivalsOf(rows);
    for (const [watch, organizationId] of this.watches) watch(arrivals.get(organizationId));
  }

  /** @returns a function that ends the watch. */
  watch(organizationId: OrganizationId, watch: WatchStored): () => void {
    this.watches.set(watch, organizationId);
    return () => this.watches.delete(watch);
  }
}
