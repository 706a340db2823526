import { randomUUID } from 'node:crypto';
import { jsonParts } from '../model/json/raw.ts';
import { type ExportColumn, valueIn } from './columns.ts';

/** A record as one line of JSON with these columns. */
export function jsonLine(record: Readonly<Record<string, unknown>>, columns: readonly ExportColumn[]): string {
  const chosen: Record<string, unknown> = {};
  for (const column of columns) chosen[column.name] = valueIn(record, column);
  return `${jsonParts(chosen, randomUUID()).join('')}\n`;
}
