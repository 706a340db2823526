import { kept } from './kept.ts';

/** Figures and times for readers, in their locale. */

const whole = new Intl.NumberFormat();
const twoDecimals = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const threeDigits = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

/** What stands where nothing is known. */
const unknown = '–';

/** What stands in place of a cost that no price tells. */
export const withoutPrice = 'No price';

export function formatCount(value: number | null | undefined): string {
  return value === null || value === undefined ? unknown : whole.format(value);
}

/** A number of things in words. @param noun of one of them. */
export function formatAmount(count: number | null | undefined, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A number of tokens in words. */
export function formatTokens(tokens: number | null | undefined): string {
  return formatAmount(tokens, 'token');
}

/** US dollars with three digits that tell something: 12.34, 0.0123, 0.00000123. Columns of a table have them by {@link alignCosts}. */
export function formatCost(value: number | null | undefined): string {
  if (value === null || value === undefined) return unknown;
  if (value === 0) return '$0';
  return usd(2, digitsOf(value)).format(value);
}

/** @param value not 0. */
function digitsOf(value: number): number {
  return Math.abs(value) >= 1 ? 2 : Math.min(12, 2 - Math.floor(Math.log10(Math.abs(value))));
}

/** Without zeros at the end, as {@link formatCost} writes it. */
function shownDigits(value: number): number {
  return Math.max(2, (value.toFixed(digitsOf(value)).split('.')[1] ?? '').replace(/0+$/, '').length);
}

const columnDigits = 4;

/**
 * Costs of a column, as {@link formatCost} has written them, with one number of decimals: as many as any needs, and at most four unless
 * the highest needs more. @param texts with the cost itself somewhere in it, or without. @param costs in the order of the texts.
 */
export function alignCosts(texts: readonly string[], costs: readonly (number | null | undefined)[]): readonly string[] {
  const known = costs.map((cost) => cost ?? 0).filter((cost) => cost !== 0);
  const highest = known.reduce((most, cost) => Math.max(most, Math.abs(cost)), 0);
  const most = known.reduce((digits, cost) => Math.max(digits, shownDigits(cost)), 2);
  const digits = Math.min(most, Math.max(columnDigits, highest === 0 ? 2 : shownDigits(highest)));
  return texts.map((text, index) => {
    const cost = costs[index];
    return cost === null || cost === undefined ? text : text.replace(formatCost(cost), () => costWithDigits(cost, digits));
  });
}

function costWithDigits(cost: number, digits: number): string {
  const least = 10 ** -digits;
  const isLess = cost !== 0 && Math.abs(cost) < least / 2;
  return isLess ? `<${usd(digits, digits).format(least)}` : usd(digits, digits).format(cost);
}

function usd(least: number, most: number): Intl.NumberFormat {
  return usdOf(`${least} ${most}`);
}

const usdOf = kept((digits: string) => {
  const [minimumFractionDigits = 2, maximumFractionDigits = 2] = digits.split(' ').map(Number);
  const currency = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
  return new Intl.NumberFormat(undefined, { ...currency, minimumFractionDigits, maximumFractionDigits });
});

/** Milliseconds as 350 ms, 2.41 s, 12.30 s, 3 min 5 s. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return unknown;
  if (ms < 1000) return `${whole.format(round(ms))} ms`;
  if (ms < 60_000) return `${twoDecimals.format(ms / 1000)} s`;
  const [hours, minutes, seconds] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.round(ms / 1000) % 60];
  const [long, short] =
    hours > 0 ? [`${whole.format(hours)} h`, minutes > 0 && `${minutes} min`] : [`${minutes} min`, seconds > 0 && `${seconds} s`];
  return short === false ? long : `${long} ${short}`;
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return unknown;
  const step = bytes < 1024 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${threeDigits.format(bytes / 1024 ** step)} ${byteUnits[step] ?? 'B'}`;
}

/** A number with the sign that is as wide as a plus: `Intl` writes a hyphen. */
export function withMinus(text: string): string {
  return text.replace(/^-/, '−');
}

function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 10) / 10;
}

/** A time in a zone, to the second; with milliseconds where they tell calls apart. */
export function formatTime(iso: string, zone: string, withMilliseconds = false): string {
  const moment = new Date(iso);
  const isOfThisYear = moment.getUTCFullYear() === new Date().getUTCFullYear();
  return (withMilliseconds ? exactTime : isOfThisYear ? time : timeWithYear)(zone).format(moment);
}

const timeParts = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
const exactParts = { ...timeParts, fractionalSecondDigits: 3, year: 'numeric', timeZoneName: 'short' } as const;
const time = kept((timeZone: string) => new Intl.DateTimeFormat(undefined, { ...timeParts, timeZone }));
const timeWithYear = kept((timeZone: string) => new Intl.DateTimeFormat(undefined, { ...timeParts, year: 'numeric', timeZone }));
const exactTime = kept((timeZone: string) => new Intl.DateTimeFormat(undefined, { ...exactParts, timeZone }));
