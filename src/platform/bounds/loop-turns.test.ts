import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LoopTurns } from './loop-turns.ts';

/** Lets calls ask for their turn. @returns the names of those that have begun so far. */
function asked(names: readonly string[], turns = new LoopTurns(4)): string[] {
  const begun: string[] = [];
  for (const name of names) void turns.next(name.slice(0, 1)).then(() => begun.push(name));
  return begun;
}

const many = (organization: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${organization}${index}`);

it('few calls begin at once', async () => {
  const begun = asked(many('a', 3));
  await Promise.resolve();
  await Promise.resolve();
  expect(begun).toEqual(['a0', 'a1', 'a2']);
});

it('of many, some begin in each turn of the loop, in their order', async () => {
  const begun = asked(many('a', 11));
  const counts: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn();
    counts.push(begun.length);
  }
  // Four begin at once, and four in the turn that has come by then.
  expect(counts).toEqual([8, 11, 11]);
  expect(begun).toEqual(many('a', 11));
});

it('a call waits for no more than one of each other organisation', async () => {
  const begun = asked([...many('a', 1000), 'b0', ...many('c', 1000)]);
  while (!begun.includes('b0')) await nextTurn();
  expect(begun.length).toBeLessThanOrEqual(12);
});

it('calls that come one after the other never wait', async () => {
  const turns = new LoopTurns(4);
  for (let call = 0; call < 20; call += 1) {
    await turns.next('a');
    await nextTurn();
  }
  const begun = asked(['a0'], turns);
  await Promise.resolve();
  await Promise.resolve();
  expect(begun).toEqual(['a0']);
});

it('no turn is scheduled while nobody waits for one', async () => {
  let scheduled = 0;
  const turns = new LoopTurns(4, (turn) => {
    scheduled += 1;
    setImmediate(turn);
  });
  await turns.next('a');
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(scheduled).toBe(1);
});
