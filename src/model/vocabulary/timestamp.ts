const isoShape = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)?)?$/;

/** The range of JavaScript's Date, wider than any stored time. */
const farthestMs = 8.64e15;

/**
 * Parses a time bound: ISO 8601 with or without an offset (default UTC), a date (midnight UTC), or Unix milliseconds. TRICKY: digits
 * beyond milliseconds are truncated, not rounded, as recorded times are: a client that sends a recorded time with more digits means that
 * record. Numbers beyond any date become the farthest date on their side. @returns Unix milliseconds; undefined for anything else.
 */
export function parseTimestamp(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? clampTime(Math.floor(value)) : undefined;
  const match = typeof value === 'string' ? isoShape.exec(value) : null;
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = ''] = match.map((part) => part ?? '0');
  const parts = [year, month, day, hour, minute, second].map(Number);
  const offset = offsetMs(match[9], match[10], match[11]);
  if (!isCalendarTime(parts) || offset === undefined) return undefined;
  return utcMs(parts) + Number(fraction.padEnd(3, '0').slice(0, 3)) - offset;
}

function offsetMs(sign: string | undefined, hours = '0', minutes = '0'): number | undefined {
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** TRICKY: Date.UTC reads the years 0 to 99 as 1900 to 1999, so the year is set separately. */
function utcMs([year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0]: readonly number[]): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1000;
}

function isCalendarTime([year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0]: readonly number[]): boolean {
  const daysInMonth = new Date(new Date(0).setUTCFullYear(year, month, 0)).getUTCDate();
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth && hour <= 23 && minute <= 59 && second <= 59;
}

/** The nearest time within the range. */
export function clampTime(ms: number): number {
  return Math.min(Math.max(ms, -farthestMs), farthestMs);
}
