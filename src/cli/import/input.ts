import { createReadStream, statSync } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../../model/errors.ts';
import { type Line, LineSplitter } from '../../platform/lines/line-splitter.ts';
import { CommandError } from '../base/dependencies.ts';
import { isZstd, unzstd } from './zstd.ts';

/** A file of lines, opened. */
export interface LineInput {
  /** Bytes of the file; undefined for standard input. */
  readonly totalBytes: number | undefined;
  /** Bytes of the file that were read so far. */
  readonly readBytes: () => number;
  /** @param onTooLong gets the pieces of a line over the limit as they come; the line itself comes without its bytes. */
  readonly lines: (onTooLong?: (piece: Buffer) => void) => AsyncGenerator<Line, void>;
}

const standardInput = '-';
/** As the service has it. */
export const maxLineBytes = 64 * 1024 * 1024;
const gzipMagic = Buffer.from([0x1f, 0x8b]);
const parquetMagic = Buffer.from('PAR1');

/** Opens a file, or standard input as `-`. @throws CommandError when it cannot be read. */
export function openLines(file: string, stdin: Readable): LineInput {
  let readBytes = 0;
  const name = file === standardInput ? 'standard input' : file;
  return {
    totalBytes: file === standardInput ? undefined : sizeOf(file),
    readBytes: () => readBytes,
    lines: async function* lines(onTooLong) {
      const raw = file === standardInput ? stdin : createReadStream(file, { highWaterMark: 256 * 1024 });
      const counted = async function* counted(): AsyncGenerator<Buffer, void> {
        for await (const piece of raw as AsyncIterable<Buffer>) {
          readBytes += piece.length;
          yield piece;
        }
      };
      try {
        yield* splitInLines(name, await decompressed(name, counted()), new LineSplitter(maxLineBytes, onTooLong));
      } catch (error) {
        throw error instanceof CommandError ? error : new CommandError(`${name} cannot be read: ${messageOf(error)}.`);
      }
    },
  };
}

function sizeOf(file: string): number {
  try {
    const found = statSync(file);
    if (found.isDirectory()) throw new Error('it is a folder; name the files in it');
    return found.size;
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${messageOf(error)}.`);
  }
}

/** By the content, not by the name. @throws CommandError for a format that is not read. */
async function decompressed(name: string, pieces: AsyncGenerator<Buffer, void>): Promise<AsyncIterable<Buffer>> {
  const { beginning, all } = await withBeginning(pieces);
  if (isZstd(beginning)) return unzstd(all);
  if (startsWith(beginning, parquetMagic)) {
    throw new CommandError(`${name} is a Parquet file; import JSON lines (--format jsonl of an export).`);
  }
  if (!startsWith(beginning, gzipMagic)) return all;
  const gunzip = createGunzip();
  // The reader of the result gets the failure.
  pipeline(Readable.from(all), gunzip, () => undefined);
  return gunzip;
}

const beginningBytes = 4;

async function withBeginning(pieces: AsyncGenerator<Buffer, void>) {
  const held: Buffer[] = [];
  let bytes = 0;
  while (bytes < beginningBytes) {
    const next = await pieces.next();
    if (next.done === true) break;
    held.push(next.value);
    bytes += next.value.length;
  }
  const all = async function* all(): AsyncGenerator<Buffer, void> {
    yield* held;
    yield* pieces;
  };
  return { beginning: Buffer.concat(held), all: all() };
}

function startsWith(bytes: Buffer, magic: Buffer): boolean {
  return bytes.subarray(0, magic.length).equals(magic);
}

async function* splitInLines(name: string, pieces: AsyncIterable<Buffer>, splitter: LineSplitter): AsyncGenerator<Line, void> {
  let isBegun = false;
  for await (const piece of pieces) {
    isBegun ||= hasBegun(name, piece);
    yield* splitter.take(piece);
  }
  yield* splitter.end();
}

/** A byte order mark and blanks. */
const ignored: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf, 0x20, 0x09, 0x0d, 0x0a]);

/**
 * Bad lines are told one by one, unless nothing at the beginning is a line of JSON. @returns whether the piece holds something.
 * @throws CommandError for another format.
 */
function hasBegun(name: string, piece: Buffer): boolean {
  const first = piece.find((byte) => !ignored.has(byte));
  if (first === undefined) return false;
  const begin = String.fromCodePoint(first);
  if (begin === '{' || (begin !== '[' && /^[ \t]*\{/m.test(piece.toString('latin1')))) return true;
  const remedy = begin === '[' ? 'a list becomes lines by: jq -c ".[]" FILE | gatelog import -' : 'it needs one JSON object a line';
  throw new CommandError(`${name} is not a file of JSON lines, as it begins with ${JSON.stringify(begin)}: ${remedy}.`);
}
