import { gzipSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Compression } from '../model/vocabulary/export.ts';
import { type ColumnKind, type ExportColumn, valueIn } from './columns.ts';
import { cellText } from './csv.ts';
import { zstdNow } from './compression.ts';
import type { RecordWriter } from './record-writer.ts';

type SchemaElement = ParquetWriter['schema'][number];
type Codec = ParquetWriter['codec'];

export interface ParquetOptions {
  readonly columns: readonly ExportColumn[];
  /** Of the pages; undefined: Snappy. */
  readonly compression: Compression | undefined;
  /** Bytes of texts in a row group, which is written as a whole. */
  readonly groupBytes: number;
  /** Continues a file: its progress, a `ParquetProgress`. */
  readonly from?: unknown;
}

/** What the end of a file needs to know of the groups before it: JSON. */
interface ParquetProgress {
  readonly bytes: number;
  readonly groups: string;
}

const codecs: Readonly<Record<Compression, Codec>> = { none: 'UNCOMPRESSED', gzip: 'GZIP', zstd: 'ZSTD' };

/** Estimate of a row's bytes beside its texts. */
const rowBytes = 512;

/** Writes row groups as they fill, and the footer at the end. */
export function parquetWriter({ columns, compression, groupBytes, from }: ParquetOptions): RecordWriter {
  const bytes = new ByteWriter(1024 * 1024);
  const file = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(columns),
    codec: compression === undefined ? 'SNAPPY' : codecs[compression],
    compressors: { GZIP: (page) => gzipSync(page), ZSTD: (page) => zstdNow(page) },
    createdBy: 'gatelog',
  });
  if (from !== undefined) continueFile(file, bytes, from as ParquetProgress);
  let rows: unknown[][] = columns.map(() => []);
  let waitingBytes = 0;
  const writeGroup = (): void => {
    const count = rows[0]?.length ?? 0;
    if (count === 0) return;
    // Of texts that are all different and long, a minimum and a maximum help no reader.
    const columnData = columns.map((column, index) => ({
      name: column.name,
      data: rows[index] ?? [],
      offsetIndex: false,
      statistics: column.kind !== 'json',
    }));
    void file.write({ columnData, rowGroupSize: count });
    file.pendingIndexes = [];
    rows = columns.map(() => []);
    waitingBytes = 0;
  };
  return {
    add: (record) => {
      for (const [index, column] of columns.entries()) {
        const value = parquetValue(valueIn(record, column), column.kind);
        rows[index]?.push(value);
        if (typeof value === 'string') waitingBytes += value.length;
      }
      waitingBytes += rowBytes;
      if (waitingBytes >= groupBytes) writeGroup();
    },
    readyBytes: () => bytes.index,
    take: () => {
      const taken = bytes.getBytes().slice();
      bytes.index = 0;
      return taken;
    },
    flush: writeGroup,
    end: () => {
      writeGroup();
      void file.finish();
    },
    progress: (): ParquetProgress => ({ bytes: bytes.offset, groups: JSON.stringify(file.row_groups, bigIntAsText) }),
  };
}

function continueFile(file: ParquetWriter, bytes: ByteWriter, { bytes: offset, groups }: ParquetProgress): void {
  bytes.index = 0;
  bytes.offset = offset;
  file.row_groups = JSON.parse(groups, textAsBigInt) as ParquetWriter['row_groups'];
  file.num_rows = file.row_groups.reduce((sum, { num_rows: count }) => sum + count, 0n);
}

/** TRICKY: minima and maxima of columns are big integers, dates or bytes, which JSON does not know. */
function bigIntAsText(this: Readonly<Record<string, unknown>>, key: string, given: unknown): unknown {
  const value = this[key];
  if (typeof value === 'bigint') return { $bigint: value.toString() };
  if (value instanceof Date) return { $date: value.getTime() };
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  return given;
}

function textAsBigInt(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$bigint' in value) return BigInt(String(value.$bigint));
  if ('$date' in value) return new Date(Number(value.$date));
  return '$bytes' in value ? new Uint8Array(Buffer.from(String(value.$bytes), 'base64')) : value;
}

function parquetValue(value: unknown, kind: ColumnKind): unknown {
  if (value === null || value === undefined) return undefined;
  switch (kind) {
    case 'text':
    case 'json':
      return cellText(value);
    case 'time':
      return new Date(value as string);
    case 'integer':
      return BigInt(value as number);
    case 'number':
    case 'flag':
    case 'texts':
    case 'numbers':
    case 'textList':
      return value;
  }
}

const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
/** The converted type, which says the same, is time without a zone to readers that go by logical types, DuckDB among them. */
const instant = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } as const;

function schemaOf(columns: readonly ExportColumn[]): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns.flatMap(elementsOf)];
}

function elementsOf({ name, kind }: ExportColumn): readonly SchemaElement[] {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  switch (kind) {
    case 'text':
    case 'json':
      return [{ ...optional, ...text }];
    case 'time':
      return [{ ...optional, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', logical_type: instant }];
    case 'integer':
      return [{ ...optional, type: 'INT64' }];
    case 'number':
      return [{ ...optional, type: 'DOUBLE' }];
    case 'flag':
      return [{ ...optional, type: 'BOOLEAN' }];
    case 'texts':
      return mapOf(name, text);
    case 'numbers':
      return mapOf(name, { type: 'DOUBLE' });
    case 'textList':
      return [
        { ...optional, converted_type: 'LIST', num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', repetition_type: 'OPTIONAL', ...text },
      ];
  }
}

function mapOf(name: string, value: Pick<SchemaElement, 'type' | 'converted_type'>): readonly SchemaElement[] {
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'MAP', num_children: 1 },
    { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
    { name: 'key', repetition_type: 'REQUIRED', ...text },
    { name: 'value', repetition_type: 'OPTIONAL', ...value },
  ];
}
