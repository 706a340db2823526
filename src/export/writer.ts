import type { Compression, ExportFormat } from '../model/vocabulary/export.ts';
import type { ExportColumn } from './columns.ts';
import { csvHead, csvLine, type CsvOptions } from './csv.ts';
import { jsonLine } from './jsonl.ts';
import type { RecordWriter } from './record-writer.ts';
import { loadZstd } from './compression.ts';
import type { ParquetProgress } from './parquet.ts';

export interface WriterOptions extends CsvOptions {
  readonly format: ExportFormat;
  readonly columns: readonly ExportColumn[];
  readonly parquet: {
    /** Undefined: Snappy, as readers of Parquet expect. */
    readonly compression: Compression | undefined;
    readonly groupBytes: number;
    readonly from?: ParquetProgress | undefined;
  };
}

type LineOf = (record: Readonly<Record<string, unknown>>) => string;

/** The other formats need no library. */
export async function recordWriter({ format, columns, parquet, ...csv }: WriterOptions): Promise<RecordWriter> {
  switch (format) {
    case 'jsonl':
      return lines('', (record) => jsonLine(record, columns));
    case 'csv':
      return lines(csvHead(columns, csv), (record) => csvLine(record, columns, csv));
    case 'parquet':
      if (parquet.compression === 'zstd') await loadZstd();
      return (await import('./parquet.ts')).parquetWriter({ columns, ...parquet });
  }
}

function lines(head: string, lineOf: LineOf): RecordWriter {
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
  };
}
