import { array, boolean, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBoundedMap } from './byte-bounded-map.ts';
import { assert } from '../../../test/support/seeded.ts';

describe('a map bounded in bytes', () => {
  it('forgets the oldest of an owner that has too much, and nothing of others', () => {
    const map = new ByteBoundedMap<number>({ maxBytes: 100, maxBytesOfOwner: 30 });
    map.set('other', 'kept', 0, 10);
    for (const value of [1, 2, 3, 4]) map.set('own', String(value), value, 10);
    expect([1, 2, 3, 4].map((value) => map.get('own', String(value)))).toEqual([undefined, 2, 3, 4]);
    expect(map.get('other', 'kept')).toBe(0);
  });

  it('takes from the owner that has the most when all together have too much', () => {
    const map = new ByteBoundedMap<number>({ maxBytes: 50, maxBytesOfOwner: 40 });
    for (const value of [1, 2, 3, 4]) map.set('large', String(value), value, 10);
    map.set('small', 'a', 1, 10);
    map.set('small', 'b', 2, 10);
    expect(map.get('large', '1')).toBeUndefined();
    expect([map.get('large', '2'), map.get('small', 'a'), map.get('small', 'b')]).toEqual([2, 1, 2]);
  });

  it('keeps an entry that is set again as its newest, once', () => {
    const map = new ByteBoundedMap<number>({ maxBytes: 100, maxBytesOfOwner: 20 });
    map.set('own', 'first', 1, 10);
    map.set('own', 'second', 2, 10);
    map.set('own', 'first', 3, 10);
    map.set('own', 'third', 4, 10);
    expect(['first', 'second', 'third'].map((key) => map.get('own', key))).toEqual([3, undefined, 4]);
    expect(map.bytes).toBe(20);
  });

  it('does not keep what is larger than its owner may have, nor what it stood for before', () => {
    const map = new ByteBoundedMap<number>({ maxBytes: 100, maxBytesOfOwner: 20 });
    map.set('own', 'key', 1, 10);
    expect(map.set('own', 'key', 2, 21)).toBe(false);
    expect(map.get('own', 'key')).toBeUndefined();
    expect(map.bytes).toBe(0);
  });

  it('never holds more than its bounds, whatever is set and deleted', () => {
    const step = record({
      owner: constantFrom('a', 'b', 'c'),
      key: constantFrom('1', '2', '3', '4', '5'),
      bytes: integer({ min: 0, max: 12 }),
      isDeleted: boolean(),
    });
    assert(
      property(array(step, { maxLength: 60 }), (steps) => {
        const map = new ByteBoundedMap<number>({ maxBytes: 40, maxBytesOfOwner: 20 });
        for (const { owner, key, bytes, isDeleted } of steps) {
          if (isDeleted) map.delete(owner, key);
          else map.set(owner, key, bytes, bytes);
          const held = ['a', 'b', 'c'].map((each) => ['1', '2', '3', '4', '5'].reduce((sum, name) => sum + (map.get(each, name) ?? 0), 0));
          expect(held.every((sum) => sum <= 20)).toBe(true);
          expect(held.reduce((sum, each) => sum + each, 0)).toBe(map.bytes);
          expect(map.bytes).toBeLessThanOrEqual(40);
        }
      }),
    );
  });
});
