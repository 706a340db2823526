/** Links of a queued item, changed only by its queue. */
export interface Queued<Item> {
  previous: Item | undefined;
  next: Item | undefined;
  isQueued: boolean;
}

/**
 * A FIFO queue that can remove items from the middle in O(1). TRICKY: not a `Set`. V8 rehashes it every few operations, and the old table
 * points to the new one; once one table is promoted, every later one survives minor GCs with its items, which doubled the cost of calls.
 * Removed items here keep no references.
 */
export class LinkedQueue<Item extends Queued<Item>> {
  private oldest: Item | undefined;
  private latest: Item | undefined;
  private count = 0;

  get size(): number {
    return this.count;
  }

  get first(): Item | undefined {
    return this.oldest;
  }

  add(item: Item): void {
    item.isQueued = true;
    item.previous = this.latest;
    if (this.latest === undefined) this.oldest = item;
    else this.latest.next = item;
    this.latest = item;
    this.count += 1;
  }

  /** Ignores items that are not queued. */
  delete(item: Item): void {
    if (!item.isQueued) return;
    const { previous, next } = item;
    if (previous === undefined) this.oldest = next;
    else previous.next = next;
    if (next === undefined) this.latest = previous;
    else next.previous = previous;
    item.isQueued = false;
    item.previous = undefined;
    item.next = undefined;
    this.count -= 1;
  }

  /** Oldest first. The queue must not change during the iteration. */
  *[Symbol.iterator](): Generator<Item, void, undefined> {
    for (let item = this.oldest; item !== undefined; item = item.next) yield item;
  }
}
