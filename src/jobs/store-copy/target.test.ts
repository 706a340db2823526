import { describe, expect, test } from 'vitest';
import type { StoreIdentity } from '../../store/copy/identity.ts';
import { assertBehind, assertTarget, nextMove } from './target.ts';

const store = (id: string | undefined, more: Partial<StoreIdentity> = {}): StoreIdentity => ({
  id,
  copyOf: [],
  move: undefined,
  isIncomplete: false,
  isEmpty: false,
  ...more,
});
const into =
  (here: StoreIdentity, there: StoreIdentity, more: { readonly movingTo?: string } = {}) =>
  () =>
    assertTarget({ own: here.id ?? '', here, there, movingTo: undefined, ...more });

/** Of both stores between which the records go. */
const a = (move?: number) => store('a', move === undefined ? {} : { copyOf: ['b'], move });
const b = (move?: number) => store('b', { copyOf: ['a'], move });

describe('a store is copied', () => {
  test('into an empty one that nobody has named, and into a copy of itself', () => {
    expect(into(store('a'), store(undefined, { isEmpty: true }))).not.toThrow();
    expect(into(store('a'), store('b', { copyOf: ['a'] }))).not.toThrow();
    expect(into(store('a'), store('b', { copyOf: ['a'], isEmpty: true }))).not.toThrow();
    // Marked, and killed before it had a name.
    expect(into(store('a'), store(undefined, { copyOf: ['a'], isEmpty: true }))).not.toThrow();
  });
  test('into the one from which its records came, there and back and there again', () => {
    expect(nextMove(a())).toBe(1);
    for (const [before, move] of [
      [undefined, 1],
      [2, 3],
      [4, 5],
    ] as const) {
      expect(into(a(before), b(before === undefined ? undefined : before - 1))).not.toThrow();
      expect(into(b(move), a(before))).not.toThrow();
    }
  });
  test('into one that was about to get the records when the service ended', () => {
    const there = store('b', { copyOf: ['a'], move: 1 });
    expect(into(store('a'), there)).toThrow('older copy');
    expect(into(store('a'), there, { movingTo: 'b' })).not.toThrow();
  });
});

describe('a store is not copied', () => {
  test('into itself, by another address', () => {
    expect(into(store('a'), store('a'))).toThrow('is the one that has the records');
  });
  test('into one with records of others, or that another Gatelog has chosen', () => {
    expect(into(store('a'), store(undefined))).toThrow('did not come from this one');
    expect(into(store('a'), store('c', { isEmpty: true }))).toThrow('belongs to another Gatelog');
    expect(into(store('a'), store('c', { copyOf: ['d'] }))).toThrow('did not come from this one');
  });
  test('from an older copy of the data folder into the one that got the records since', () => {
    const older = store('a');
    expect(into(older, store('b', { copyOf: ['a'], move: 1 }))).toThrow('older copy');
    const afterThereAndBack = store('a', { copyOf: ['b'], move: 2 });
    expect(into(afterThereAndBack, store('b', { copyOf: ['a'], move: 3 }))).toThrow('older copy');
    expect(into(afterThereAndBack, store('b', { copyOf: ['a'], move: 1 }))).not.toThrow();
  });
  test('into any that has later records or changes, as after a restore of an older backup', () => {
    const here = { stored: 10, changes: 5 };
    expect(() => assertBehind({ here, there: here })).not.toThrow();
    expect(() => assertBehind({ here, there: { stored: 0, changes: 0 } })).not.toThrow();
    expect(() => assertBehind({ here, there: { stored: 11, changes: 5 } })).toThrow('older copy');
    expect(() => assertBehind({ here, there: { stored: 10, changes: 6 } })).toThrow('older copy');
  });
  test('once a damaged part was set aside, but into an empty one', () => {
    const here = store('a', { isIncomplete: true });
    expect(into(here, b())).toThrow('Name an empty database.');
    expect(into(here, store('b', { copyOf: ['a'], isEmpty: true }))).not.toThrow();
  });
});
