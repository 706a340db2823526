import type { Compression, ExportFormat } from '../model/vocabulary/export.ts';
import type { ExportColumn } from './columns.ts';
import { loadZstd } from './compression.ts';
import { csvHead, csvLine, type CsvOptions } from './csv.ts';
import { jsonLine } from './jsonl.ts';
import type { RecordWriter } from './record-writer.ts';

export interface WriterOptions extends CsvOptions {
  readonly format: ExportFormat;
  readonly columns: readonly ExportColumn[];
  /** Of formats with groups: how these are compressed; undefined: as readers of the format expect. */
  readonly compression: Compression | undefined;
  /** Of formats with groups: bytes of texts in one, which is written as a whole. */
  readonly groupBytes: number;
  /** Continues a file: the progress of the writer that began it. */
  readonly from?: unknown;
}

/** One writer for each format. A library is loaded by the format that needs it. */
const writers: Readonly<Record<ExportFormat, (options: WriterOptions) => RecordWriter | Promise<RecordWriter>>> = {
  jsonl: ({ columns }) => lines('', (record) => jsonLine(record, columns)),
  csv: ({ columns, ...options }) => lines(csvHead(columns, options), (record) => csvLine(record, columns, options)),
  parquet: async (options) => {
    if (options.compression === 'zstd') await loadZstd();
    return (await import('./parquet.ts')).parquetWriter(options);
  },
};

export async function recordWriter(options: WriterOptions): Promise<RecordWriter> {
  return writers[options.format](options);
}

function lines(head: string, lineOf: (record: Readonly<Record<string, unknown>>) => string): RecordWriter {
  let ready: string[] = [head];
  let length = head.length;
  return {
    add: (record) => {
      const line = lineOf(record);
      ready.push(line);
      length += line.length;
    },
    readyBytes: () => length,
    take: () => {
      const bytes = Buffer.from(ready.join(''));
      ready = [];
      length = 0;
      return bytes;
    },
    flush: () => undefined,
    end: () => undefined,
    progress: () => undefined,
  };
}
