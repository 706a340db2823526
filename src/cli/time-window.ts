import { CommandError } from './dependencies.ts';

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

export const timeHelp = 'today, yesterday, a length such as 24h or 7d before now, a date or a time';

/**
 * A point in time as people write it. Days begin at midnight of the time zone, dates and times without an offset are UTC there.
 * @param option its name, for the error.
 * @returns Unix milliseconds.
 * @throws CommandError for a text of another form.
 */
export function timeOf(
  text: string,
  { option, now, timezone }: { readonly option: string; readonly now: number; readonly timezone: string },
): number {
  const word = text.trim().toLowerCase();
  if (word === 'now') return now;
  if (word === 'today') return startOfDay(now, timezone);
  if (word === 'yesterday') return startOfDay(startOfDay(now, timezone) - 1, timezone);
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(word) ?? [];
  if (count !== undefined) return now - Number(count) * (units[unit] ?? 0);
  const date = /^\d{4}-\d\d-\d\d$/.test(word) ? Date.parse(`${word}T00:00:00Z`) : Number.NaN;
  if (!Number.isNaN(date)) return date - offsetAt(date, timezone);
  const time = /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/.test(word)
    ? Date.parse(/(?:z|[+-]\d\d:?\d\d)$/.test(word) ? text : `${text.replace(' ', 'T')}Z`)
    : Number.NaN;
  if (Number.isNaN(time)) throw new CommandError(`${option} takes ${timeHelp}; got "${text}".`);
  return time;
}

/** @throws CommandError for a name that is no time zone. */
export function checkedZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone === '' ? 'UTC' : name;
  } catch {
    throw new CommandError(`--timezone takes a name such as Europe/Berlin; got "${name}".`);
  }
}

function startOfDay(ms: number, timezone: string): number {
  const offset = offsetAt(ms, timezone);
  const midnight = Math.floor((ms + offset) / 86_400_000) * 86_400_000;
  // The clocks may have changed since midnight.
  return midnight - offsetAt(midnight - offset, timezone);
}

/** Milliseconds east of UTC. */
function offsetAt(ms: number, timezone: string): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' }).formatToParts(ms);
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
