import type { Interval } from '../../model/vocabulary/metrics.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';

/** Where a day begins: at a fixed distance from UTC, or by the clocks of a place, with its daylight saving. */
export type Zone = { readonly kind: 'offset'; readonly minutes: number } | { readonly kind: 'named'; readonly name: string };

export const utc: Zone = { kind: 'offset', minutes: 0 };

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

const arrivalMs = sql`toUnixTimestamp64Milli(created_at)`;
const int64 = (ms: number): Fragment => sql`${param(ms, 'Int64')}`;

/** What the local clock shows of a time. */
interface LocalTime {
  /** Milliseconds since the last full so many minutes of the clock. */
  readonly since: (minutes: number) => Fragment;
  /** Days since 1 January 1970. */
  readonly day: Fragment;
  readonly hour: Fragment;
}

/** The local time of a row of `requests`. */
function localTime(zone: Zone): LocalTime {
  if (zone.kind === 'named') {
    const name = param(zone.name, 'String');
    const second = sql`toSecond(created_at, ${name})`;
    const minute = sql`toMinute(created_at, ${name})`;
    const seconds = (minutes: number): Fragment =>
      minutes === 1 ? second : sql`(positiveModulo(${minute}, ${int64(minutes)}) * 60 + ${second})`;
    return {
      since: (minutes) => sql`(toInt64(${seconds(minutes)}) * 1000 + positiveModulo(${arrivalMs}, 1000))`,
      day: sql`toInt64(toInt32(toDate32(created_at, ${name})))`,
      hour: sql`toHour(created_at, ${name})`,
    };
  }
  const local = sql`(${arrivalMs} + ${int64(zone.minutes * minuteMs)})`;
  const sinceMidnight = sql`positiveModulo(${local}, ${int64(dayMs)})`;
  return {
    since: (minutes) => sql`positiveModulo(${local}, ${int64(minutes * minuteMs)})`,
    day: sql`intDiv(${local} - ${sinceMidnight}, ${int64(dayMs)})`,
    hour: sql`intDiv(${sinceMidnight}, ${int64(hourMs)})`,
  };
}

export function hourOfDay(zone: Zone): Fragment {
  return localTime(zone).hour;
}

/** 1 Monday to 7 Sunday; 1 January 1970 was a Thursday. */
export function weekday(zone: Zone): Fragment {
  return sql`positiveModulo(${localTime(zone).day} + 3, 7) + 1`;
}

const minutesOf = { minute: 1, '5m': 5, '15m': 15, hour: 60 } as const;
const firstDay = sql`toDate32('1970-01-01')`;

/**
 * The bucket of a row of `requests` as a whole number: Unix milliseconds of its start for minutes and hours, else local days, months or
 * years since 1970. An hour that a clock shows twice is two buckets. Several hours are counted from midnight: on a day on which clocks
 * change, the last bucket is shorter, or there is one more.
 */
export function bucketKey(interval: Interval, zone: Zone): Fragment {
  const { since, day } = localTime(zone);
  switch (interval) {
    case 'minute':
    case '5m':
    case '15m':
    case 'hour':
      return sql`${arrivalMs} - ${since(minutesOf[interval])}`;
    case '3h':
    case '6h': {
      const midnight = startOfDay(sql`addDays(${firstDay}, ${day})`, zone);
      return sql`${arrivalMs} - positiveModulo(${arrivalMs} - (${midnight}), ${int64((interval === '3h' ? 3 : 6) * hourMs)})`;
    }
    case 'day':
      return day;
    case 'week':
      return sql`${day} - positiveModulo(${day} + 3, 7)`;
    case 'month': {
      const date = sql`addDays(${firstDay}, ${day})`;
      return sql`(toInt64(toYear(${date})) - 1970) * 12 + toMonth(${date}) - 1`;
    }
    case 'year':
      return sql`toInt64(toYear(addDays(${firstDay}, ${day}))) - 1970`;
  }
}

/** Unix milliseconds of the start of a bucket. @param key as of {@link bucketKey}. */
export function bucketStart(key: Fragment, interval: Interval, zone: Zone): Fragment {
  switch (interval) {
    case 'minute':
    case '5m':
    case '15m':
    case 'hour':
    case '3h':
    case '6h':
      return key;
    case 'day':
    case 'week':
      return startOfDay(sql`addDays(${firstDay}, ${key})`, zone);
    case 'month':
      return startOfDay(sql`addMonths(${firstDay}, ${key})`, zone);
    case 'year':
      return startOfDay(sql`addYears(${firstDay}, ${key})`, zone);
  }
}

/**
 * Minutes east of UTC at a time in Unix milliseconds. TRICKY: `timeZoneOffset` is a day off for places that have crossed the date line, so
 * the local time is read as one of UTC.
 */
export function offsetMinutes(ms: Fragment, zone: Zone): Fragment {
  if (zone.kind === 'offset') return int64(zone.minutes);
  const local = sql`toString(fromUnixTimestamp64Milli(${ms}, ${param(zone.name, 'String')}))`;
  return sql`intDiv(toUnixTimestamp64Milli(toDateTime64(${local}, 3, 'UTC')) - ${ms}, 60000)`;
}

function startOfDay(day: Fragment, zone: Zone): Fragment {
  if (zone.kind === 'offset') return sql`toInt64(toInt32(${day})) * ${int64(dayMs)} - ${int64(zone.minutes * minuteMs)}`;
  return sql`toUnixTimestamp64Milli(toDateTime64(${day}, 3, ${param(zone.name, 'String')}))`;
}
