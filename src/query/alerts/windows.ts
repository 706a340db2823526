import type { CalendarUnit } from '../../model/events/alert-vocabulary.ts';
import type { AlertPlan, AlertWindow } from './plan.ts';

/** Half open, Unix milliseconds. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** The window of a rule that is evaluated at a time. */
export function windowAt(window: AlertWindow, at: number): TimeRange {
  return window.kind === 'rolling' ? { from: at - window.ms, to: at } : { from: startOf(window.unit, window.timezone, at), to: at };
}

/** The window, then the same hours of each day before with which its value is compared. */
export function rangesAt({ window, baselineDays }: AlertPlan, at: number): readonly [TimeRange, ...TimeRange[]] {
  const range = windowAt(window, at);
  const before = Array.from({ length: baselineDays }, (_, index) => shifted(range, -(index + 1) * dayMs));
  return [range, ...before];
}

function shifted({ from, to }: TimeRange, ms: number): TimeRange {
  return { from: from + ms, to: to + ms };
}

/** Start of the day, week (Monday) or month that a place has at a time. */
export function startOf(unit: CalendarUnit, timezone: string, at: number): number {
  const { year, month, day } = localDate(timezone, at);
  const first = unit === 'month' ? 1 : day - (unit === 'week' ? (weekdayOf(year, month, day) + 6) % 7 : 0);
  return startOfDay(timezone, Date.UTC(year, month - 1, first));
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
/** Rules of a deployment have few time zones. */
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
