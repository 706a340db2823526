export const calendarUnits = ['day', 'week', 'month'] as const;
export type CalendarUnit = (typeof calendarUnits)[number];

/** Each day, week (from Monday) or month of a place. */
export interface Calendar {
  readonly unit: CalendarUnit;
  /** A name that {@link zoneNamed} returned. */
  readonly timezone: string;
}

/** Half open, Unix milliseconds. */
export interface CalendarBounds {
  readonly startsAt: number;
  readonly endsAt: number;
}

const hourMs = 3_600_000;

const zones = new Map<string, string>();
/** Names have aliases and are found in any case; a deployment uses few of them. */
const maxZones = 1000;

/** The name by which the store knows a time zone, whose case and aliases it takes literally. */
export function zoneNamed(given: string): string | undefined {
  const known = zones.get(given);
  if (known !== undefined) return known;
  const name = findZone(given);
  if (name === undefined) return undefined;
  if (zones.size >= maxZones) zones.clear();
  zones.set(given, name);
  return name;
}

function findZone(given: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(given)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

const running = new Map<string, CalendarBounds>();
const maxRunning = 2000;

/** The bounds of the day, week or month that contains a time. Computes them once for each that runs, so that calls may ask each time. */
export function calendarBounds(calendar: Calendar, at: number): CalendarBounds {
  const key = calendarKey(calendar);
  const known = running.get(key);
  if (known !== undefined && at >= known.startsAt && at < known.endsAt) return known;
  const first = firstDay(calendar, at);
  const bounds = { startsAt: startOfDay(calendar.timezone, first), endsAt: startOfDay(calendar.timezone, dayAfter(calendar.unit, first)) };
  if (running.size >= maxRunning) running.clear();
  running.set(key, bounds);
  return bounds;
}

/** Tells calendars apart. */
export function calendarKey({ unit, timezone }: Calendar): string {
  return `${unit} ${timezone}`;
}

/** Start of the day, week (Monday) or month that a place has at a time. */
export function startOf(unit: CalendarUnit, timezone: string, at: number): number {
  return startOfDay(timezone, firstDay({ unit, timezone }, at));
}

/** @returns midnight UTC of the first local day. */
function firstDay({ unit, timezone }: Calendar, at: number): number {
  const { year, month, day } = localDate(timezone, at);
  return Date.UTC(year, month - 1, unit === 'month' ? 1 : day - (unit === 'week' ? (weekdayOf(year, month, day) + 6) % 7 : 0));
}

/** @param first midnight UTC of the first local day. @returns that of the first day of the next unit. */
function dayAfter(unit: CalendarUnit, first: number): number {
  const date = new Date(first);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return unit === 'month' ? Date.UTC(year, month + 1, 1) : Date.UTC(year, month, day + (unit === 'week' ? 7 : 1));
}

function weekdayOf(year: number, month: number, day: number): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

interface LocalDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
/** Rules and budgets of a deployment have few time zones. */
const maxFormats = 100;

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  if (formats.size >= maxFormats) formats.clear();
  const made = new Intl.DateTimeFormat('en-u-ca-iso8601', { timeZone: timezone, year: 'numeric', month: 'numeric', day: 'numeric' });
  formats.set(timezone, made);
  return made;
}

function localDate(timezone: string, at: number): LocalDate {
  const parts = formatOf(timezone).formatToParts(new Date(at));
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((one) => one.type === type)?.value);
  return { year: part('year'), month: part('month'), day: part('day') };
}

/** Clocks of a place differ from UTC by at most 14 hours; a day may begin at another hour than midnight. */
const widestMs = 16 * hourMs;

const starts = new Map<string, number>();
const maxStarts = 1000;

/** @param date midnight UTC of the local day, Unix milliseconds. */
function startOfDay(timezone: string, date: number): number {
  if (timezone === 'UTC') return date;
  const key = `${timezone} ${date}`;
  const known = starts.get(key);
  if (known !== undefined) return known;
  if (starts.size >= maxStarts) starts.clear();
  const start = findStartOfDay(timezone, date);
  starts.set(key, start);
  return start;
}

/** The first instant of a local day, by halving: local dates never go back. */
function findStartOfDay(timezone: string, date: number): number {
  let [before, from] = [date - widestMs, date + widestMs];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    const { year, month, day } = localDate(timezone, middle);
    if (Date.UTC(year, month - 1, day) >= date) from = middle;
    else before = middle;
  }
  return from;
}
