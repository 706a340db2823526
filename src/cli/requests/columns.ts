import type { RequestItem } from '../../client/client.ts';
import { chosenColumns, columnNames, type ExportColumn, valueIn } from '../../export/columns.ts';
import { UsageError } from '../base/dependencies.ts';
import { statusColour } from '../base/paint.ts';
import { type Clock, countText, lengthText, momentText, requestCostText, titleText } from '../terminal/texts.ts';
import type { Column } from '../terminal/table.ts';
import { jsonText } from '../base/json.ts';
import { shortColumns } from './names.ts';

/** A column that the caller chose: its name as it was written, and where its value is. */
export interface ChosenColumn extends ExportColumn {
  readonly given: string;
}

/** @throws UsageError that names the nearest column. */
export function chosenRequestColumns(text: string): readonly ChosenColumn[] {
  const given = columnNames(text);
  const chosen = chosenColumns({ format: 'csv', columns: given.map((name) => shortColumns[name] ?? name) });
  if (!chosen.ok) throw new UsageError(chosen.fault.message.replace('`columns`', '--columns'));
  return chosen.value.map((column, index) => ({ ...column, given: given[index] ?? column.name }));
}

export function needsBodies(columns: readonly ChosenColumn[]): boolean {
  return columns.some(({ field }) => field === 'request_body' || field === 'response_body');
}

/** The chosen values of a request, under the names that they were chosen by. */
export function chosenValues(item: RequestItem, columns: readonly ChosenColumn[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(columns.map((column) => [column.given, valueIn(recordOf(item), column)]));
}

/** Cells that a chosen text keeps at least. */
const minTextWidth = 8;
const maxTextWidth = 60;

export function chosenTable(columns: readonly ChosenColumn[], clock: Clock): readonly Column<RequestItem>[] {
  return columns.map((column) => {
    const isText = !['integer', 'number', 'time'].includes(column.kind) && column.field !== 'request_id';
    return {
      title: titleText(column.given),
      text: (item) => (isCost(column) ? requestCostText(item) : cellOf(column, valueIn(recordOf(item), column), clock)),
      ...(column.kind === 'integer' || column.kind === 'number' ? { side: 'right' } : {}),
      ...(isText ? { minWidth: minTextWidth, maxWidth: maxTextWidth } : {}),
      ...(column.field === 'response_status' ? { colour: (item: RequestItem) => statusColour(item.response_status) } : {}),
    };
  });
}

function isCost({ field }: ChosenColumn): boolean {
  return field === 'cost' || field === 'costUSD';
}

function cellOf({ field, kind }: ChosenColumn, value: unknown, clock: Clock): string {
  if (value === null || value === undefined || value === '') return '-';
  if (lengths.has(field)) return lengthText(Number(value));
  if (typeof value === 'number') return field === 'response_status' ? String(value) : countText(value);
  if (typeof value !== 'string') return jsonText(value);
  return kind === 'time' ? momentText(value, clock) : value;
}

const lengths: ReadonlySet<string> = new Set(['latency', 'delay_ms', 'time_to_first_byte', 'time_to_first_token', 'gateway_overhead_ms']);

function recordOf(item: RequestItem): Readonly<Record<string, unknown>> {
  return { ...item };
}
