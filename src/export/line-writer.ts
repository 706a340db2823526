import { jsonMembers } from '../model/json/members.ts';
import { RawJson } from '../model/json/raw.ts';
import type { ExportColumn } from './columns.ts';
import type { ParquetProgress, ParquetRecordWriter } from './parquet.ts';
import { recordWriter, type WriterOptions } from './writer.ts';

/** Writes the lines of a jsonl export in another format, or as they are. */
export interface LineWriter {
  readonly add: (line: Buffer) => void;
  readonly readyBytes: () => number;
  readonly take: () => Uint8Array;
  readonly flush: () => void;
  readonly end: () => void;
  /** Of a Parquet file: what its end needs; valid after `flush` and `take`. */
  readonly progress: () => ParquetProgress | undefined;
}

/** @param options their columns are those of the lines. @param from continues a file: undefined begins one. */
export async function lineWriter(options: WriterOptions, from?: { readonly parquet: ParquetProgress | undefined }): Promise<LineWriter> {
  if (options.format === 'jsonl') return sameLines();
  const columns = options.columns.map((column) => ({ ...column, field: column.name, key: undefined }));
  const writer = await recordWriter({ ...options, columns, parquet: { ...options.parquet, from: from?.parquet } });
  // The names are in the file already.
  if (from !== undefined) writer.take();
  return {
    add: (line) => writer.add(recordIn(line, columns)),
    readyBytes: writer.readyBytes,
    take: writer.take,
    flush: writer.flush,
    end: writer.end,
    progress: () => (options.format === 'parquet' ? (writer as ParquetRecordWriter).progress() : undefined),
  };
}

function sameLines(): LineWriter {
  let ready: Buffer[] = [];
  let bytes = 0;
  return {
    add: (line) => {
      ready.push(line);
      bytes += line.length;
    },
    readyBytes: () => bytes,
    take: () => {
      const taken = Buffer.concat(ready);
      ready = [];
      bytes = 0;
      return taken;
    },
    flush: () => undefined,
    end: () => undefined,
    progress: () => undefined,
  };
}

/** Texts of JSON stay as they are, so that their numbers keep all digits. */
function recordIn(line: Buffer, columns: readonly ExportColumn[]): Readonly<Record<string, unknown>> {
  const members = jsonMembers(line.toString());
  const record: Record<string, unknown> = {};
  for (const { name, kind } of columns) {
    const text = members.get(name) ?? 'null';
    const isStructure = kind === 'json' && (text.startsWith('{') || text.startsWith('['));
    record[name] = isStructure || (kind === 'json' && /^-?\d/.test(text)) ? new RawJson(text) : (JSON.parse(text) as unknown);
  }
  return record;
}
