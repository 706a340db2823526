import { describe, expect, it, vi } from 'vitest';
import { bucketAt, bucketedRange, bucketStart, bucketStarts, countedRange, intervalFor, sinceFirst } from './buckets.ts';

const at = (text: string): number => Date.parse(text);
const texts = (times: readonly number[]): string[] => times.map((time) => new Date(time).toISOString());

describe('the bucket of a time', () => {
  it.each([
    ['minute', 'UTC', '2026-03-01T10:20:30Z', '2026-03-01T10:20:00Z'],
    ['hour', 'Asia/Kolkata', '2026-03-01T10:20:30Z', '2026-03-01T09:30:00Z'],
    ['day', 'Europe/Berlin', '2026-07-01T23:30:00Z', '2026-07-01T22:00:00Z'],
    ['week', 'Europe/Berlin', '2026-07-01T12:00:00Z', '2026-06-28T22:00:00Z'],
    ['month', 'America/New_York', '2026-07-15T12:00:00Z', '2026-07-01T04:00:00Z'],
  ] as const)('of one %s in %s: %s begins at %s', (interval, zone, time, start) => {
    expect(bucketStart(at(time), interval, zone)).toBe(at(start));
  });

  it('a day on which clocks change has 23 or 25 hours', () => {
    expect(bucketStarts(at('2026-03-29T00:00:00+01:00'), at('2026-03-30T00:00:00+02:00'), 'hour', 'Europe/Berlin')).toHaveLength(23);
    expect(bucketStarts(at('2026-10-25T00:00:00+02:00'), at('2026-10-26T00:00:00+01:00'), 'hour', 'Europe/Berlin')).toHaveLength(25);
  });

  it('days follow one another over a change of clocks, also where it is at midnight', () => {
    expect(texts(bucketStarts(at('2026-10-24T10:00:00Z'), at('2026-10-27T10:00:00Z'), 'day', 'Europe/Berlin'))).toEqual([
      '2026-10-23T22:00:00.000Z',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
      '2026-10-26T23:00:00.000Z',
    ]);
    // Clocks of Beirut skip the first hour of 29 March 2026.
    expect(texts(bucketStarts(at('2026-03-28T10:00:00Z'), at('2026-03-30T10:00:00Z'), 'day', 'Asia/Beirut'))).toEqual([
      '2026-03-27T22:00:00.000Z',
      '2026-03-28T22:00:00.000Z',
      '2026-03-29T21:00:00.000Z',
    ]);
  });

  it.each([
    ['Europe/Berlin', '2026-01-01T10:00:00Z'],
    ['Asia/Beirut', '2026-01-01T10:00:00Z'],
    ['America/Havana', '2026-01-01T10:00:00Z'],
    ['Pacific/Apia', '2011-06-01T10:00:00Z'],
  ])('every day of a year in %s ends where the next one begins', (zone, from) => {
    const starts = bucketStarts(at(from), at(from) + 365 * 86_400_000, 'day', zone);
    for (const [index, start] of starts.slice(0, -1).entries()) {
      const next = starts[index + 1] ?? 0;
      expect([start, next - 1].map((time) => bucketStart(time, 'day', zone))).toEqual([start, start]);
      expect(bucketStart(next, 'day', zone)).toBe(next);
    }
  });
});

describe('a year of days', () => {
  const zone = 'Asia/Tokyo';

  it('asks the clocks of its zone a few times, as the first drawing of a page waits for it', () => {
    const asked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
    expect(bucketStarts(at('2025-01-01T10:00:00Z'), at('2026-01-01T10:00:00Z'), 'day', zone)).toHaveLength(366);
    expect(asked.mock.calls.length).toBeLessThan(100);
    asked.mockRestore();
  });
});

describe('a range with buckets', () => {
  const now = at('2026-06-10T10:20:00Z');

  it('begins with a whole bucket, and its last one may not be complete', () => {
    const range = bucketedRange({ from: now - 86_400_000, to: undefined }, 'UTC', { now, oldest: 0, most: 64 });
    expect(texts([range.start, range.before.start])).toEqual(texts([now - 86_400_000, now - 2 * 86_400_000]));
    expect(range.interval).toBe('hour');
    expect(texts([range.from])).toEqual(['2026-06-09T10:00:00.000Z']);
    expect(range.starts).toHaveLength(25);
    expect(range.incompleteFrom).toBe(24);
    expect(texts([range.end])).toEqual(['2026-06-10T11:00:00.000Z']);
  });

  it('is complete where it ended before now', () => {
    const range = bucketedRange({ from: at('2026-06-01T00:00:00Z'), to: at('2026-06-09T00:00:00Z') }, 'UTC', { now, oldest: 0, most: 200 });
    expect(range.incompleteFrom).toBeUndefined();
    expect(texts([range.before.from, range.before.to])).toEqual(['2026-05-24T00:00:00.000Z', '2026-06-01T00:00:00.000Z']);
    expect(range.before.starts).toHaveLength(range.starts.length);
  });

  it('without a start has the days since the oldest', () => {
    const range = bucketedRange({ from: undefined, to: undefined }, 'UTC', { now, oldest: at('2026-06-08T10:00:00Z'), most: 200 });
    expect([range.interval, range.starts.length]).toEqual(['day', 3]);
  });

  it('without a start is drawn from its first bucket with figures, and is never very short', () => {
    const range = bucketedRange({ from: undefined, to: undefined }, 'UTC', { now, oldest: at('2026-01-01T00:00:00Z'), most: 200 });
    const [first, last] = [at('2026-05-20T00:00:00Z'), at('2026-06-10T00:00:00Z')];
    const drawn = sinceFirst(range, new Map([[first, 1]]), undefined);
    expect(texts([drawn.starts[0] ?? 0])).toEqual(['2026-05-20T00:00:00.000Z']);
    expect(drawn.incompleteFrom).toBe(drawn.starts.length - 1);
    expect(sinceFirst(range, new Map([[last, 1]])).starts).toHaveLength(7);
    expect(sinceFirst(range, new Map())).toBe(range);
    const bounded = bucketedRange({ from: at('2026-01-01T00:00:00Z'), to: undefined }, 'UTC', { now, oldest: 0, most: 200 });
    expect(sinceFirst(bounded, new Map([[first, 1]]))).toBe(bounded);
  });
});

it('the longer a range and the narrower its place, the wider its buckets', () => {
  const day = 86_400_000;
  const intervals = (most: number): string[] =>
    [day / 24, day, 7 * day, 30 * day, 90 * day, 3000 * day].map((length) => intervalFor(length, most));
  expect(intervals(200)).toEqual(['minute', '15m', 'hour', '6h', 'day', 'month']);
  expect(intervals(64)).toEqual(['minute', 'hour', '3h', 'day', 'week', 'month']);
});

const sixHours = (from: string, to: string): string[] => texts(bucketStarts(at(from), at(to), '6h', 'Europe/Berlin'));

it('several hours are counted from midnight, also on days on which clocks change', () => {
  expect(sixHours('2026-03-29T00:00:00+01:00', '2026-03-30T01:00:00+02:00')).toEqual([
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T05:00:00.000Z',
    '2026-03-29T11:00:00.000Z',
    '2026-03-29T17:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
  ]);
  expect(sixHours('2026-10-25T00:00:00+02:00', '2026-10-26T00:00:00+01:00')).toHaveLength(5);
});

describe('what a figure counts', () => {
  const now = at('2026-03-01T10:20:30Z');
  const rangeFrom = (from: number | undefined) =>
    bucketedRange({ from, to: undefined }, 'UTC', { now, oldest: now - 90 * 86_400_000, most: 60 });

  it('ends when the page asked, and begins with the range, where that has a beginning', () => {
    const from = now - 3_600_000;
    expect(countedRange(rangeFrom(from))).toEqual({ from, to: now });
    expect(countedRange(rangeFrom(undefined))).toEqual({ to: now });
  });

  it('is of a bucket up to the same moment', () => {
    const range = rangeFrom(now - 3_600_000);
    const last = range.starts.length - 1;
    expect(bucketAt(range, 0)).toEqual({ from: range.from, to: range.starts[1] });
    expect(bucketAt(range, last)).toEqual({ from: range.starts[last], to: now });
    expect(bucketAt(range, last + 1)).toBeUndefined();
  });
});
