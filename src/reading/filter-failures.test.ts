import { describe, expect, it } from 'vitest';
import type { StreamRow } from '../query/stream/rows.ts';
import { FilterFailures } from './filter-failures.ts';

const rows = (count: number): readonly StreamRow[] => Array.from({ length: count }, (_, index) => ({ id: String(index) }) as StreamRow);
const failing = (failed: readonly StreamRow[]) => ({ passedBy: new Map(failed.map((row) => [row, 'it was too much'])) });

describe('a filter that cannot decide about a record', () => {
  it('is given up after ten records in a row, over several pages', () => {
    const failures = new FilterFailures();
    const [first, second] = [rows(6), rows(4)];
    expect(failures.after(first, failing(first), 0)).toBeUndefined();
    expect(failures.after(second, failing(second), 1)).toBe(
      'The filter could not decide about 10 records in a row: it was too much. Use fewer conditions on long texts, or shorter patterns.',
    );
  });

  it('goes on where it decides about others in between', () => {
    const failures = new FilterFailures();
    for (let page = 0; page < 9; page += 1) {
      const some = rows(10);
      expect(failures.after(some, failing(some.slice(1)), page)).toBeUndefined();
    }
  });

  it('is given up after a hundred records within an hour, not within two', () => {
    const [quick, slow] = [new FilterFailures(), new FilterFailures()];
    const given: (string | undefined)[] = [];
    for (let minute = 0; minute < 100; minute += 1) {
      const some = rows(2);
      given.push(quick.after(some, failing(some.slice(1)), minute * 30_000));
      expect(slow.after(some, failing(some.slice(1)), minute * 60_000)).toBeUndefined();
    }
    expect(given.filter((reason) => reason !== undefined)).toEqual([expect.stringContaining('100 records within an hour')]);
  });
});
