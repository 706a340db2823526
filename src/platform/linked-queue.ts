/** What stands in a queue; the queue alone changes these. */
export interface Queued<Item> {
  before: Item | undefined;
  behind: Item | undefined;
  isQueued: boolean;
}

/**
 * A queue whose items may also leave from its middle, in the order in which they came.
 *
 * TRICKY: a `Set` would do, and did. V8 makes a new table for it each few calls, to which the one before points. Once one of these is old, all that
 * follow survive every collection of young objects with the calls that stand in them, until a full collection comes: calls cost the worker twice as much
 * then. What leaves here points to nothing.
 */
export class LinkedQueue<Item extends Queued<Item>> {
  private oldest: Item | undefined;
  private latest: Item | undefined;
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** The item that has waited longest. */
  get first(): Item | undefined {
    return this.oldest;
  }

  add(item: Item): void {
    item.isQueued = true;
    item.before = this.latest;
    if (this.latest === undefined) this.oldest = item;
    else this.latest.behind = item;
    this.latest = item;
    this.count += 1;
  }

  /** Does nothing with what is not in it. */
  delete(item: Item): void {
    if (!item.isQueued) return;
    const { before, behind } = item;
    if (before === undefined) this.oldest = behind;
    else before.behind = behind;
    if (behind === undefined) this.latest = before;
    else behind.before = before;
    item.isQueued = false;
    item.before = undefined;
    item.behind = undefined;
    this.count -= 1;
  }

  /** The oldest first. Nothing may come or go meanwhile. */
  *[Symbol.iterator](): Generator<Item, void, undefined> {
    for (let item = this.oldest; item !== undefined; item = item.behind) yield item;
  }
}
