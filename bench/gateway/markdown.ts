import type { Spread } from '../measure/spread.ts';

/** A table whose first column is text and whose others are numbers. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const separator = header.map((_name, index) => (index === 0 ? '---' : '---:'));
  return [header, separator, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** A number with `digits` decimals; null was not measured. */
export function shown(value: number | null, digits: number): string {
  if (value === null) return 'not measured';
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Median, and the lowest and highest round. */
export function shownSpread(values: Spread | null, digits: number): string {
  if (values === null) return 'not measured';
  return `${shown(values.median, digits)} (${shown(values.minimum, digits)}–${shown(values.maximum, digits)})`;
}

/** Bytes in MiB. */
export function shownMebibytes(bytes: number | null, digits = 0): string {
  return shown(bytes === null ? null : bytes / 2 ** 20, digits);
}
