import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../../../model/errors.ts';
import { uuidOfHex } from '../../../model/ids.ts';
import { isJsonObject, type JsonObject, parseRecordedJson } from '../../../model/text.ts';
import { CommandError } from '../../base/dependencies.ts';
import { textIn } from './cells.ts';
import { CsvSplitter } from './csv.ts';
import { ObjectSplitter } from './json-objects.ts';

/** Where a reading of files continues: so many records of this file have been read. */
export interface FilePosition {
  readonly file: number;
  readonly records: number;
}

export interface FileBatch {
  readonly records: readonly JsonObject[];
  readonly next: FilePosition;
}

/** Longest record in characters. */
const maxRecordLength = 256 * 1024 * 1024;
/** Characters of a batch, beside its number of records. */
const maxBatchLength = 16 * 1024 * 1024;

/**
 * Reads the files of upstream's export tool: JSON Lines, a JSON array or CSV, which the content tells, also gzipped. A record that is no
 * JSON is passed on as an object without an identifier, so that it is reported. @throws CommandError when a file is unreadable.
 */
export async function* readFiles(files: readonly string[], start: FilePosition, batchSize: number): AsyncGenerator<FileBatch> {
  for (let file = start.file; file < files.length; file += 1) {
    const skipped = file === start.file ? start.records : 0;
    let count = 0;
    let [records, length]: [JsonObject[], number] = [[], 0];
    for await (const { record, size } of recordsOf(files[file] ?? '')) {
      count += 1;
      if (count <= skipped) continue;
      records.push(record);
      length += size;
      if (records.length < batchSize && length < maxBatchLength) continue;
      yield { records, next: { file, records: count } };
      [records, length] = [[], 0];
    }
    yield { records, next: { file: file + 1, records: 0 } };
  }
}

interface SizedRecord {
  readonly record: JsonObject;
  readonly size: number;
}

async function* recordsOf(file: string): AsyncGenerator<SizedRecord> {
  try {
    let reader: RecordReader | undefined;
    for await (const text of textOf(file)) {
      if (reader === undefined && text.trim() === '') continue;
      reader ??= readerOf(text.trimStart().charAt(0));
      yield* reader.add(text);
      if (reader.heldLength > maxRecordLength) throw new CommandError(`${file} has a record of more than ${maxRecordLength} characters.`);
    }
    yield* reader?.end() ?? [];
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${file} cannot be read (${messageOf(error)}).`);
  }
}

async function* textOf(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file);
  const first = (await firstBytes(bytes)) ?? Buffer.alloc(0);
  const isGzip = first[0] === 0x1f && first[1] === 0x8b;
  const content: Readable = isGzip ? bytes.pipe(createGunzip()) : bytes;
  if (isGzip) bytes.once('error', (error) => content.destroy(error));
  const decoder = new TextDecoder();
  for await (const chunk of content as AsyncIterable<Uint8Array>) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** Looks at the beginning of a stream and puts it back. */
async function firstBytes(stream: Readable): Promise<Buffer | undefined> {
  await new Promise<void>((resolve, reject) => {
    stream.once('readable', resolve);
    stream.once('error', reject);
    stream.once('end', resolve);
  });
  const chunk = stream.read() as Buffer | null;
  if (chunk === null) return undefined;
  stream.unshift(chunk);
  return chunk;
}

interface RecordReader {
  /** Characters of a record that is not complete. */
  readonly heldLength: number;
  readonly add: (text: string) => Iterable<SizedRecord>;
  readonly end: () => Iterable<SizedRecord>;
}

function readerOf(firstCharacter: string): RecordReader {
  if (firstCharacter === '[') return new ArrayReader();
  return firstCharacter === '{' ? new LineReader() : new CsvReader();
}

function parsed(text: string): SizedRecord {
  const value = parseRecordedJson(text);
  return { record: isJsonObject(value) ? value : { text: text.slice(0, 1000) }, size: text.length };
}

class LineReader implements RecordReader {
  private parts: string[] = [];
  heldLength = 0;

  *add(text: string): Iterable<SizedRecord> {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = this.parts.join('') + text.slice(start, end);
      [this.parts, this.heldLength] = [[], 0];
      start = end + 1;
      if (line.trim() !== '') yield parsed(line);
    }
    this.parts.push(text.slice(start));
    this.heldLength += text.length - start;
  }

  *end(): Iterable<SizedRecord> {
    const line = this.parts.join('');
    if (line.trim() !== '') yield parsed(line);
  }
}

class ArrayReader implements RecordReader {
  private readonly splitter = new ObjectSplitter();
  heldLength = 0;

  *add(text: string): Iterable<SizedRecord> {
    const objects = this.splitter.add(text);
    this.heldLength = objects.length > 0 || !this.splitter.isOpen ? 0 : this.heldLength + text.length;
    for (const object of objects) yield parsed(object);
  }

  *end(): Iterable<SizedRecord> {
    if (this.splitter.isOpen) yield parsed('');
  }
}

class CsvReader implements RecordReader {
  private readonly splitter = new CsvSplitter();
  private header: readonly string[] | undefined;
  heldLength = 0;

  *add(text: string): Iterable<SizedRecord> {
    const rows = this.splitter.add(text);
    this.heldLength = rows.length > 0 ? 0 : this.heldLength + text.length;
    for (const row of rows) yield* this.take(row);
  }

  *end(): Iterable<SizedRecord> {
    const row = this.splitter.end();
    if (row !== undefined) yield* this.take(row);
  }

  private *take(row: readonly string[]): Iterable<SizedRecord> {
    if (this.header === undefined) {
      this.header = row.map((name) => name.replace(/^\u{feff}/u, '').trim());
      return;
    }
    if (row.length === 1 && row[0] === '') return;
    const cells = this.header.map((name, index) => [name, cellOf(name, row[index] ?? '')] as const);
    yield { record: withIdentifier(Object.fromEntries(cells.filter(([, value]) => value !== ''))), size: row.join('').length };
  }
}

const jsonColumns: ReadonlySet<string> = new Set([
  'request_body',
  'response_body',
  'request_properties',
  'properties',
  'scores',
  'inputs',
  'assets',
  'asset_ids',
  'asset_urls',
]);

/** Upstream's tool doubles the quotes of JSON twice. */
function cellOf(column: string, cell: string): unknown {
  if (!jsonColumns.has(column) || cell === '') return cell;
  return parseRecordedJson(cell) ?? parseRecordedJson(cell.replaceAll('""', '"')) ?? cell;
}

/**
 * CSV of upstream's tool has no column for the request's identifier. One that follows from the response's identifier is given, so that a
 * second import of the file adds nothing.
 */
function withIdentifier(record: JsonObject): JsonObject {
  const response = textIn(record, 'response_id');
  if (textIn(record, 'request_id') !== null || response === null) return record;
  return { ...record, request_id: derivedId(`${response} ${textIn(record, 'request_created_at') ?? ''}`) };
}

/** A UUID of version 8. */
function derivedId(text: string): string {
  const hex = createHash('sha256').update(`helicone-response ${text}`).digest('hex');
  return uuidOfHex(`${hex.slice(0, 12)}8${hex.slice(13, 16)}8${hex.slice(17, 32)}`);
}
