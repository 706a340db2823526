import { expect, test } from 'vitest';
import { makeLookAhead } from './look-ahead.ts';

/** A list of 1,000 rows, 10 of them in view. @returns the first and the last row that exist once it stands at a row at a time. */
function list() {
  let ms = 0;
  const look = makeLookAhead(() => ms);
  return (start: number, at: number, count = 1000): readonly (number | undefined)[] => {
    ms = at;
    const rows = look({ startIndex: start, endIndex: start + 9, count, overscan: 0 });
    return [rows[0], rows.at(-1)];
  };
}

test('a list that stands still has 20 rows on either side of those in view', () => {
  const at = list();
  expect(at(0, 0)).toEqual([0, 29]);
  expect(at(500, 10_000)).toEqual([480, 529]);
  expect(at(985, 90_000)).toEqual([965, 999]);
});

test('a steady scroll has more rows ahead of it, the more the faster, in its direction', () => {
  const down = list();
  down(10, 100);
  expect(down(20, 200)).toEqual([0, 74]);
  down(120, 300);
  expect(down(220, 400)).toEqual([200, 499]);
  const up = list();
  up(900, 100);
  up(890, 200);
  expect(up(880, 300)).toEqual([835, 909]);
});

test('a jump has no rows ahead, and rows that are added do not end a scroll', () => {
  const at = list();
  expect(at(800, 100)).toEqual([780, 829]);
  at(100, 200);
  at(110, 300);
  at(120, 400);
  expect(at(120, 410, 2000)).toEqual([100, 174]);
});

test('at most 300 rows are ahead', () => {
  const at = list();
  at(100, 10);
  expect(at(200, 20)).toEqual([180, 529]);
});
