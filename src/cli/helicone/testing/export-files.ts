import type { JsonObject } from '../../../model/text.ts';

/** The columns of the tool's CSV: `request_id` is not among them. */
export const csvColumns = [
  'response_id',
  'response_created_at',
  'response_status',
  'request_created_at',
  'request_body',
  'request_properties',
  'request_user_id',
  'model',
  'prompt_tokens',
  'completion_tokens',
  'latency',
  'cost',
] as const;

/**
 * Records as the export tool of upstream writes them, with its habits: a JSON array has a comma behind its last object, and quotes within
 * JSON in a cell of CSV are doubled twice.
 */
export function exportToolFile(records: readonly JsonObject[], format: 'jsonl' | 'json' | 'csv'): string {
  switch (format) {
    case 'jsonl':
      return records.map((record) => `${JSON.stringify(record)}\n`).join('');
    case 'json':
      return `[\n${records.map((record) => `${JSON.stringify(record, null, 2)},\n`).join('')}]\n`;
    case 'csv':
      return [csvColumns.join(','), ...records.map((record) => csvColumns.map((column) => cellOf(record[column])).join(','))].join('\n');
  }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value).replaceAll('"', '""');
  return `"${text.replaceAll('"', '""')}"`;
}
