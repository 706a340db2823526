/** How an export writes records. */
export const exportFormats = ['jsonl', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const compressions = ['none', 'gzip', 'zstd'] as const;
export type Compression = (typeof compressions)[number];

export const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
};
