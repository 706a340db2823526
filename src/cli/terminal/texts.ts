/** Properties without those that say what a request's own fields say: session, prompt. */
export function propertiesText(properties: Readonly<Record<string, string>>): string {
  return Object.entries(properties)
    .filter(([name]) => !/^(?:svc|helicone)-/i.test(name))
    .map(([name, value]) => `${name}=${value}`)
    .join('  ');
}

const smallestShown = 0.000_001;

/** Two decimals from a hundred dollars on, six below one; what is less than they show is no zero. */
export function costText(usd: number | null): string {
  if (usd === null) return '-';
  const size = Math.abs(usd);
  if (size > 0 && size < smallestShown) return `$${usd.toPrecision(2)}`;
  const digits = size === 0 || size >= 100 ? 2 : size >= 1 ? 4 : 6;
  return `$${usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: digits })}`;
}

export function countText(count: number | null): string {
  return count === null ? '-' : count.toLocaleString('en');
}

/** A length of time, short enough for a column. */
export function lengthText(ms: number | null): string {
  if (ms === null) return '-';
  if (ms < 9999.5) return `${Math.round(ms).toLocaleString('en')} ms`;
  const seconds = ms / 1000;
  if (seconds < 999.5) return `${seconds.toFixed(seconds < 99.95 ? 1 : 0)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 600 ? `${minutes} min` : `${Math.round(minutes / 60).toLocaleString('en')} h`;
}

export interface Clock {
  /** Unix milliseconds. */
  readonly now: number;
  readonly timezone: string;
}

/** A moment as `01-31 14:05:59`; with its year where that is another one than now. */
export function momentText(at: string | null, { now, timezone }: Clock): string {
  if (at === null) return '-';
  const shown = new Intl.DateTimeFormat('sv', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' });
  const [text, present] = [shown.format(new Date(at)), shown.format(now)];
  return text.slice(0, 4) === present.slice(0, 4) ? text.slice(5) : text;
}
