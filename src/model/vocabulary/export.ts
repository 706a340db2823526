/** How an export writes records. */
export const exportFormats = ['jsonl', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof exportFormats)[number];

interface FormatTraits {
  /** For people, in the middle of a sentence. */
  readonly title: string;
  /** The first is the one of an answer. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** Without a choice of columns: every field, also those that repeat another one, or each once. */
  readonly columns: 'every' | 'once';
  /** What is in a file; undefined: no text. */
  readonly text?: string;
  /** Rows wait until they fill a group, which the format compresses itself, and a file has an end that names the groups. */
  readonly hasGroups: boolean;
  /** A record takes at most this many times the bytes of its line of JSON. */
  readonly growth: number;
}

export const formatTraits: Readonly<Record<ExportFormat, FormatTraits>> = {
  jsonl: {
    title: 'JSON lines',
    mediaTypes: ['application/x-ndjson'],
    columns: 'every',
    text: 'A request item per line.',
    hasGroups: false,
    growth: 1,
  },
  // A quotation mark stands there twice.
  csv: { title: 'csv', mediaTypes: ['text/csv'], columns: 'once', text: 'RFC 4180, in UTF-8.', hasGroups: false, growth: 2 },
  parquet: {
    title: 'Parquet',
    mediaTypes: ['application/vnd.apache.parquet', 'application/parquet', 'application/x-parquet'],
    columns: 'once',
    hasGroups: true,
    growth: 2,
  },
};

/** `JSON lines, csv or Parquet`. */
export const formatTitles: string = listed(exportFormats.map((format) => formatTraits[format].title));

export const compressions = ['none', 'gzip', 'zstd'] as const;
export type Compression = (typeof compressions)[number];

const endings: Readonly<Record<Compression, string>> = { none: '', gzip: '.gz', zstd: '.zst' };

/** The ending of a file's name: `.csv.gz`. */
export function fileEnding(format: ExportFormat, compression: Compression): string {
  return `.${format}${endings[fileCompression(format, compression)]}`;
}

/** How a whole file is compressed when this was asked for. */
export function fileCompression(format: ExportFormat, compression: Compression): Compression {
  return formatTraits[format].hasGroups ? 'none' : compression;
}

/** By the ending of a file's name. */
export function namedCompression(fileName: string): Compression | undefined {
  return compressions.find((known) => known !== 'none' && fileName.endsWith(endings[known]));
}

/** By the ending of a file's name. */
export function namedFormat(fileName: string): ExportFormat | undefined {
  const named = namedCompression(fileName);
  const plain = named === undefined ? fileName : fileName.slice(0, -endings[named].length);
  return exportFormats.find((known) => plain.endsWith(`.${known}`));
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
}
