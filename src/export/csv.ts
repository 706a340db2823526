import { RawJson } from '../model/json/raw.ts';
import { parseJson } from '../model/text.ts';
import { type ExportColumn, valueIn } from './columns.ts';

export interface CsvOptions {
  /** Cells as they are, also those that a spreadsheet would run. */
  readonly raw: boolean;
  /** A byte order mark first. */
  readonly bom: boolean;
}

/** The line of names (RFC 4180). */
export function csvHead(columns: readonly ExportColumn[], { raw, bom }: CsvOptions): string {
  return `${bom ? '\ufeff' : ''}${columns.map(({ name }) => quotedCell(raw ? name : inert(name))).join(',')}\r\n`;
}

export function csvLine(record: Readonly<Record<string, unknown>>, columns: readonly ExportColumn[], { raw }: CsvOptions): string {
  const cells = columns.map((column) => {
    const value = valueIn(record, column);
    if (typeof value === 'number') return String(value);
    const text = cellText(value);
    return quotedCell(raw ? text : inert(text));
  });
  // A line without a character would be no record for many readers.
  return `${cells.length === 1 && cells[0] === '' ? '""' : cells.join(',')}\r\n`;
}

/** A value as text: null is empty, and what is no single value is JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (!(value instanceof RawJson)) return JSON.stringify(value);
  const parsed = value.text.startsWith('"') ? parseJson(value.text) : undefined;
  return typeof parsed === 'string' ? parsed : value.text;
}

/** A spreadsheet takes a cell with such a beginning for a formula; behind an apostrophe it is text. */
function inert(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}

function quotedCell(text: string): string {
  return /[",\r\n]/.test(text) || /^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
