import { calendarUnits, type CalendarUnit } from '../../model/time/calendar.ts';
import { UsageError } from './dependencies.ts';

/** What a budget or a rule adds up over. */
export type MeasuredWindow = { readonly calendar: CalendarUnit } | { readonly ms: number };

export const measuredWindowHelp = 'a length such as 10m, 1h or 7d, or the day, week or month of the calendar';

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** @throws UsageError for a text of another form. */
export function measuredWindowOf(text: string, option: string): MeasuredWindow {
  const calendar = calendarUnits.find((unit) => unit === text);
  if (calendar !== undefined) return { calendar };
  const [, count, unit = ''] = /^(\d{1,8})([smhdw])$/.exec(text) ?? [];
  if (count === undefined) throw new UsageError(`${option} takes ${measuredWindowHelp}; got "${text}".`);
  return { ms: Number(count) * (unitsMs[unit] ?? 0) };
}
