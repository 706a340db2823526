import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinkedQueue, type Queued } from './linked-queue.ts';

class Item implements Queued<Item> {
  previous: Item | undefined;
  next: Item | undefined;
  isQueued = false;
}

describe('CallQueue', () => {
  it('keeps the order in which items came, from wherever they leave and however often they come again (seeded)', () => {
    const step = fc.record({ item: fc.nat(9), leaves: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const items = Array.from({ length: 10 }, () => new Item());
        const queue = new LinkedQueue<Item>();
        const expected: Item[] = [];
        for (const { item: place, leaves } of steps) {
          const item = items[place] ?? new Item();
          if (leaves) {
            queue.delete(item);
            if (expected.includes(item)) expected.splice(expected.indexOf(item), 1);
          } else if (!item.isQueued) {
            queue.add(item);
            expected.push(item);
          }
          expect([...queue]).toEqual(expected);
          expect([queue.size, queue.first]).toEqual([expected.length, expected[0]]);
        }
      }),
      { numRuns: 200, seed: 4711 },
    );
  });

  it('what leaves points to nothing, so that no item outlives itself through another', () => {
    const queue = new LinkedQueue<Item>();
    const [first, middle, last] = [new Item(), new Item(), new Item()];
    for (const item of [first, middle, last]) queue.add(item);
    queue.delete(middle);
    queue.delete(first);
    expect([first, middle].map(({ previous: before, next: behind, isQueued }) => [before, behind, isQueued])).toEqual([
      [undefined, undefined, false],
      [undefined, undefined, false],
    ]);
    expect([...queue]).toEqual([last]);
  });
});
