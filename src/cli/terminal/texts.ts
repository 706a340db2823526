import type { RequestItem } from '../../client/client.ts';

/** Properties without those that say what a request's own fields say: session, prompt. */
export function propertiesText(properties: Readonly<Record<string, string>>): string {
  return Object.entries(properties)
    .filter(([name]) => !/^(?:svc|helicone)-/i.test(name))
    .map(([name, value]) => `${name}=${value}`)
    .join('  ');
}

const mostDecimals = 12;

/** As the dashboard writes it: two decimals from a dollar on, three digits that count below; nothing is `$0`. */
export function costText(usd: number | null): string {
  if (usd === null) return '-';
  if (usd === 0) return '$0';
  const size = Math.abs(usd);
  const digits = size >= 1 ? 2 : Math.min(mostDecimals, 2 - Math.floor(Math.log10(size)));
  return `${usd < 0 ? '-' : ''}$${size.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: digits })}`;
}

/** What stands in place of an amount that nothing is known of: it is not $0. */
export const notPriced = 'not priced';

/** The cost of a request; `-` where there was nothing to pay for, as in a refusal. */
export function requestCostText({ cost, failure }: Pick<RequestItem, 'cost' | 'failure'>): string {
  return cost === null && failure === null ? notPriced : costText(cost);
}

/** Title of a column: of a property, a score or an input its own name. */
export function titleText(name: string): string {
  return /^[a-z_]+\.(.+)$/su.exec(name)?.[1] ?? name.toUpperCase().replaceAll('_', ' ');
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
