import { array, constantFrom, integer, property, record } from 'fast-check';
import { expect, it } from 'vitest';
import { busySeriesName } from '../../spool/busy-series.ts';
import { lateSeriesName } from '../../spool/import-series.ts';
import type { TrackedExchange } from '../series/exchange.ts';
import type { SeriesTail } from '../series/tail.ts';
import { type Batch, formBatch, repeatBatch } from './batch.ts';
import { assert } from '../../../test/support/seeded.ts';

const limits = { maxRows: 100, maxBytes: 1e9 };

/** A series whose exchanges began in these months, counted from 2015. */
function tailOf(series: string, months: readonly number[]): SeriesTail {
  const waiting = months.map((month, index) => ({
    series,
    stream: index + 1,
    openedAt: Date.UTC(2015, month, 15),
    endsAt: { segment: 1, offset: (index + 1) * 10 },
    bytes: 10,
  })) as unknown as readonly TrackedExchange[];
  return { series, waiting: () => waiting, hasReadTo: () => true } as unknown as SeriesTail;
}

function formed(number: number, tails: readonly SeriesTail[]): Batch {
  const batch = formBatch(number, tails, { accepted: {} }, limits);
  if (batch === undefined) throw new Error('no batch was formed');
  return batch;
}

function counts({ taken }: Batch): Record<string, number> {
  return Object.fromEntries(taken.map(({ tail, count }) => [tail.series, count]));
}

const late = lateSeriesName('worker');
const months = Array.from({ length: 143 }, (_, index) => index);

it('a batch has few months of late records, behind all that is of now', () => {
  const now = Array.from({ length: 50 }, () => 142);
  expect(counts(formed(1, [tailOf(late, months), tailOf('worker', now)]))).toEqual({ worker: 50, [late]: 8 });
});

it('records of one month fill a batch, whenever they were', () => {
  expect(
    counts(
      formed(1, [
        tailOf(
          late,
          Array.from({ length: 500 }, () => 3),
        ),
      ]),
    ),
  ).toEqual({ [late]: 100 });
});

it('every fourth batch keeps half of its rows for late records, so that a busy service stores them too', () => {
  const tails = [
    tailOf(
      'worker',
      Array.from({ length: 500 }, () => 142),
    ),
    tailOf(
      late,
      Array.from({ length: 500 }, () => 3),
    ),
  ];
  expect([1, 2, 3, 4].map((number) => counts(formed(number, tails))[late] ?? 0)).toEqual([0, 0, 0, 50]);
});

const busy = busySeriesName('worker');
const thisMonth = (count: number): readonly number[] => Array.from({ length: count }, () => 142);

it('while others wait, who writes much has half of every second batch, and nothing of the one between', () => {
  const tails = [tailOf(busy, thisMonth(500)), tailOf('worker', thisMonth(20))];
  expect([1, 2, 3, 4].map((number) => counts(formed(number, tails)))).toEqual([
    { [busy]: 50, worker: 20 },
    { worker: 20 },
    { [busy]: 50, worker: 20 },
    { worker: 20 },
  ]);
});

it('who writes much stands behind the others in a batch, which may end early', () => {
  const tails = [tailOf(busy, thisMonth(500)), tailOf('worker', thisMonth(2)), tailOf('other', thisMonth(2))];
  const { exchanges, taken } = formed(1, tails);
  expect(exchanges.slice(0, 5).map(({ series }) => series === busy)).toEqual([false, false, false, false, true]);
  expect(taken.at(-1)?.tail.series).toBe(busy);
});

it('who writes much keeps its half beside others that fill a batch, and fills one when no others wait', () => {
  const tails = [tailOf('worker', thisMonth(500)), tailOf(busy, thisMonth(500))];
  expect(counts(formed(1, tails))).toEqual({ [busy]: 50, worker: 50 });
  expect([1, 2].map((number) => counts(formed(number, [tailOf(busy, thisMonth(500)), tailOf('worker', [])])))).toEqual([
    { [busy]: 100 },
    { [busy]: 100 },
  ]);
});

it('a batch is formed again from its bounds with the same exchanges in the same order', () => {
  const series = record({
    name: constantFrom((name: string) => name, lateSeriesName, busySeriesName),
    months: array(integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 80 }),
  });
  assert(
    property(array(series, { minLength: 1, maxLength: 5 }), constantFrom(1, 2, 3, 4, 5, 8), (given, number) => {
      const tails = given.map((each, index) => tailOf(each.name(`w${index}`), each.months));
      const batch = formed(number, tails);
      expect(repeatBatch(batch.bounds, tails)?.exchanges).toEqual(batch.exchanges);
    }),
  );
});
