import { parseTimestamp } from '../vocabulary/timestamp.ts';

const dayMs = 86_400_000;
const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs };

export const humanTimeForms = 'today, yesterday, a length such as 24h or 7d before now, a date or a time';

/**
 * A point in time as people write it. Days begin at midnight of the time zone; dates, and times without an offset, are in it.
 * @returns Unix milliseconds; undefined for a text of another form.
 */
export function parseHumanTime(text: string, { now, timezone }: { readonly now: number; readonly timezone: string }): number | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'now') return now;
  if (word === 'today') return startOfDay(now, timezone);
  if (word === 'yesterday') return startOfDay(startOfDay(now, timezone) - 1, timezone);
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(word) ?? [];
  if (count !== undefined) return now - Number(count) * (units[unit] ?? 0);
  const time = parseTimestamp(word);
  if (time === undefined) return undefined;
  const hasOffset = /:\d.*(?:z|[+-]\d\d(?::?\d\d)?)$/.test(word);
  return hasOffset ? time : instantOf(time, timezone);
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function startOfDay(ms: number, timezone: string): number {
  return instantOf(Math.floor((ms + offsetAt(ms, timezone)) / dayMs) * dayMs, timezone);
}

/**
 * When the clocks of a place show a time: the first of two, and for a time that they skip the moment of the change.
 * @param local that time as if it were one of UTC, Unix milliseconds.
 */
function instantOf(local: number, timezone: string): number {
  const [before, after] = [offsetAt(local - dayMs, timezone), offsetAt(local + dayMs, timezone)];
  const shown = [local - before, local - after].filter((ms) => ms + offsetAt(ms, timezone) === local);
  return shown.length === 0 ? local - before : Math.min(...shown);
}

/** Milliseconds east of UTC. */
function offsetAt(ms: number, timezone: string): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' }).formatToParts(ms);
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
