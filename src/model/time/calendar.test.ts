import { Temporal } from 'temporal-polyfill';
import { describe, expect, it, vi } from 'vitest';
import { byLength, testSeed } from '../../../test/support/test-length.ts';
import { type CalendarBounds, calendarBounds, type CalendarUnit, calendarUnits, zoneNamed } from './calendar.ts';

const hourMs = 3_600_000;

function boundsOf(unit: CalendarUnit, timezone: string, at: string): readonly string[] {
  const { startsAt, endsAt } = calendarBounds({ unit, timezone }, Date.parse(at));
  return [startsAt, endsAt].map((ms) => new Date(ms).toISOString().replace(':00.000Z', 'Z'));
}

describe('the bounds of a calendar', () => {
  it.each([
    ['day', 'UTC', '2026-11-28T12:00Z', ['2026-11-28T00:00Z', '2026-11-29T00:00Z']],
    ['day', 'Europe/Berlin', '2026-11-28T23:00Z', ['2026-11-28T23:00Z', '2026-11-29T23:00Z']],
    ['day', 'Europe/Berlin', '2026-11-28T22:59:59.999Z', ['2026-11-27T23:00Z', '2026-11-28T23:00Z']],
    ['week', 'UTC', '2026-11-29T23:59Z', ['2026-11-23T00:00Z', '2026-11-30T00:00Z']],
    ['week', 'America/New_York', '2026-01-01T12:00Z', ['2025-12-29T05:00Z', '2026-01-05T05:00Z']],
    ['month', 'Asia/Kathmandu', '2026-12-31T18:15Z', ['2026-12-31T18:15Z', '2027-01-31T18:15Z']],
    ['month', 'UTC', '2028-02-29T12:00Z', ['2028-02-01T00:00Z', '2028-03-01T00:00Z']],
  ] as const)('of a %s in %s at %s', (unit, timezone, at, bounds) => {
    expect(boundsOf(unit, timezone, at)).toEqual(bounds);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29T12:00Z', 23],
    ['Europe/Berlin', '2026-10-25T12:00Z', 25],
    ['Australia/Lord_Howe', '2026-04-05T03:00Z', 24.5],
    ['Africa/Cairo', '2026-04-24T12:00Z', 23],
    ['America/Sao_Paulo', '2018-11-04T12:00Z', 23],
  ])('of a day on which the clocks of %s change have its length: %s, %f hours', (timezone, at, hours) => {
    const { startsAt, endsAt } = calendarBounds({ unit: 'day', timezone }, Date.parse(at));
    expect((endsAt - startsAt) / hourMs).toBe(hours);
  });

  it('leave out a day that a place never had', () => {
    expect(boundsOf('day', 'Pacific/Apia', '2011-12-30T09:59Z')).toEqual(['2011-12-29T10:00Z', '2011-12-30T10:00Z']);
    expect(boundsOf('day', 'Pacific/Apia', '2011-12-30T10:00Z')).toEqual(['2011-12-30T10:00Z', '2011-12-31T10:00Z']);
  });

  it('are computed once for the window that runs', () => {
    const calendar = { unit: 'month', timezone: 'Europe/Lisbon' } as const;
    const at = Date.UTC(2026, 10, 10);
    calendarBounds(calendar, at);
    zoneNamed('Europe/Lisbon');
    const zones = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions');
    const parts = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
    for (let second = 0; second < 1000; second += 1) {
      zoneNamed('Europe/Lisbon');
      calendarBounds(calendar, at + second * 1000);
    }
    expect([zones.mock.calls.length, parts.mock.calls.length]).toEqual([0, 0]);
    calendarBounds(calendar, at + 30 * 24 * hourMs);
    expect(parts.mock.calls.length).toBeGreaterThan(0);
  });
});

const seed = testSeed();

/** Since then no place has set its clocks back over the beginning of a day. */
const [first, last] = [Date.UTC(2012, 0, 1), Date.UTC(2100, 0, 1)];

it(`the bounds are those that Temporal finds, about changes of clocks too (seed ${seed})`, () => {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  const zones = Intl.supportedValuesOf('timeZone')
    .map((timezone) => ({ timezone, order: random() }))
    .toSorted((one, other) => one.order - other.order)
    .slice(0, byLength(60, Number.POSITIVE_INFINITY));
  for (const { timezone } of zones) {
    const times = Array.from({ length: byLength(4, 20) }, () => first + Math.floor(random() * (last - first))).flatMap((at) => {
      const change = zoned(at, timezone).getTimeZoneTransition('next')?.epochMilliseconds ?? at;
      return [at, change - 1, change, change + Math.floor((random() - 0.5) * 72 * hourMs)];
    });
    for (const at of times) {
      for (const unit of calendarUnits) {
        const bounds = calendarBounds({ unit, timezone }, at);
        expect({ unit, timezone, at, ...bounds }).toEqual({ unit, timezone, at, ...expected(unit, timezone, at) });
        expect(bounds.startsAt <= at && at < bounds.endsAt).toBe(true);
        expect(calendarBounds({ unit, timezone }, bounds.endsAt).startsAt).toBe(bounds.endsAt);
      }
    }
  }
});

function zoned(at: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
}

function expected(unit: CalendarUnit, timezone: string, at: number): CalendarBounds {
  const day = zoned(at, timezone).toPlainDate();
  const from = { day, week: day.subtract({ days: day.dayOfWeek - 1 }), month: day.with({ day: 1 }) }[unit];
  const to = from.add({ day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } }[unit]);
  return { startsAt: from.toZonedDateTime(timezone).epochMilliseconds, endsAt: to.toZonedDateTime(timezone).epochMilliseconds };
}
