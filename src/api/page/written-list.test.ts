import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { jsonParts, RawJson } from '../../model/json/raw.ts';
import { writtenList } from './written-list.ts';

const rowOf = (index: number) => ({ user: `u"${index}`, cost: new RawJson<number>(`${index}.000000000001`), count: index, none: null });
const textOf = (value: unknown): string => jsonParts(value, 'written').join('');

it.each([0, 1, 49, 50, 51, 1234])('%d rows are written as they would be at once', async (count) => {
  const rows = Array.from({ length: count }, (_, index) => rowOf(index));
  expect(textOf({ rows: await writtenList(rows, 'owner') })).toBe(textOf({ rows }));
});

it('others have their turn while a long list is written', async () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => rowOf(index));
  const written = new AbortController();
  let turns = 0;
  const others = (async () => {
    for (; !written.signal.aborted; turns += 1) await nextTurn();
  })();
  await writtenList(rows, 'owner');
  written.abort();
  await others;
  expect(turns).toBeGreaterThan(5);
});
