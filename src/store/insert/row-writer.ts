import { RowMemory } from './row-memory.ts';

const minBytes = 64 * 1024;
const maxBytes = 4 * 1024 * 1024;
/** Maximum UTF-8 bytes of a UTF-16 unit. */
const maxBytesOfUnit = 3;
/** Texts of at most this many units have a length of one byte, whatever their characters. */
const shortUnits = 42;
/** Bytes of the longest value other than a text. */
const widestValue = 16;
const lastOneByteLength = 0x7f;
const moreBytesFollow = 0x80;
const lastAscii = 0x7f;
const word = 2 ** 32;
const hyphen = 0x2d;
/** Shorter texts are written before their length is known. */
const unmeasuredUnits = 64 * 1024;

/**
 * Rows in ClickHouse's RowBinary: a row's values in order, without names, numbers in little endian, texts behind their length. Rows follow
 * each other in few pieces of memory, which another thread reads without a copy.
 * Source: https://clickhouse.com/docs/interfaces/formats/RowBinary
 */
export class RowWriter {
  private readonly memory: RowMemory;
  private piece: Buffer;
  private used = 0;
  /** The offset of the current row. */
  private start = 0;

  constructor(memory: RowMemory = new RowMemory()) {
    this.memory = memory;
    this.piece = Buffer.from(memory.take(minBytes));
  }

  /** @returns the bytes of the row that `write` has written; a row whose `write` throws is discarded. */
  row(write: () => void): Uint8Array {
    this.start = this.used;
    try {
      write();
    } catch (error) {
      this.used = this.start;
      throw error;
    }
    return this.piece.subarray(this.start, this.used);
  }

  /** A flag, or the null marker of a nullable value. */
  byte(value: number): void {
    this.demand(1);
    this.piece[this.used] = value;
    this.used += 1;
  }

  uint16(value: number): void {
    this.demand(2);
    this.used = this.piece.writeUInt16LE(value, this.used);
  }

  uint32(value: number): void {
    this.demand(4);
    this.used = this.piece.writeUInt32LE(value, this.used);
  }

  /** @throws RangeError for a value other than an unsigned integer of 64 bits. */
  uint64(value: number | bigint): void {
    this.demand(8);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
      this.used = this.piece.writeUInt32LE(value % word, this.used);
      this.used = this.piece.writeUInt32LE(Math.floor(value / word), this.used);
    } else {
      this.used = this.piece.writeBigUInt64LE(BigInt(value), this.used);
    }
  }

  /** @throws RangeError for a value other than a signed integer of 64 bits. */
  int64(value: number): void {
    this.demand(8);
    this.used = this.piece.writeBigInt64LE(BigInt(value), this.used);
  }

  /** @throws RangeError for a value beyond 128 bits with a sign. */
  int128(value: bigint): void {
    this.demand(widestValue);
    this.used = this.piece.writeBigUInt64LE(BigInt.asUintN(64, value), this.used);
    this.used = this.piece.writeBigInt64LE(value >> 64n, this.used);
  }

  /** @param hex 32 hexadecimal digits, most significant first; hyphens between bytes are ignored. @throws RangeError for any other text. */
  uint128(hex: string): void {
    this.demand(widestValue);
    const { piece } = this;
    const end = this.used + widestValue;
    let at = this.used;
    let index = hex.length - 1;
    while (index > 0 && at < end) {
      const byte = (nibbleOf(hex, index - 1) << 4) | nibbleOf(hex, index);
      if (byte < 0) throw notHex(hex);
      piece[at] = byte;
      at += 1;
      index -= hex.charCodeAt(index - 2) === hyphen ? 3 : 2;
    }
    if (at !== end || index >= 0 || hex.charCodeAt(0) === hyphen) throw notHex(hex);
    this.used = end;
  }

  float64(value: number): void {
    this.demand(8);
    this.used = this.piece.writeDoubleLE(value, this.used);
  }

  /** The number of bytes or members that follow, as a varint (LEB128). */
  count(value: number): void {
    this.demand(widestValue);
    let rest = value;
    while (rest > lastOneByteLength) {
      this.piece[this.used] = (rest % moreBytesFollow) + moreBytesFollow;
      this.used += 1;
      rest = Math.floor(rest / moreBytesFollow);
    }
    this.piece[this.used] = rest;
    this.used += 1;
  }

  /** UTF-8; a lone surrogate becomes U+FFFD. */
  text(value: string): void {
    if (value.length <= shortUnits) {
      this.shortText(value);
      return;
    }
    if (value.length <= unmeasuredUnits) {
      this.unmeasuredText(value);
      return;
    }
    const bytes = Buffer.byteLength(value);
    this.count(bytes);
    this.demand(bytes);
    this.used += this.piece.write(value, this.used);
  }

  /** Writes the text first and its length in front afterwards: measuring takes nearly as long as writing. */
  private unmeasuredText(value: string): void {
    this.demand(widestValue + value.length * maxBytesOfUnit);
    // Most texts have one byte per unit.
    const expected = this.used + bytesOfCount(value.length);
    const bytes = this.piece.write(value, expected);
    const start = this.used + bytesOfCount(bytes);
    if (start !== expected) this.piece.copyWithin(start, expected, expected + bytes);
    this.count(bytes);
    this.used += bytes;
  }

  /** TRICKY: for few characters a loop is faster than a call of Buffer.write. */
  private shortText(value: string): void {
    const { length } = value;
    this.demand(1 + length * maxBytesOfUnit);
    const { piece } = this;
    const start = this.used + 1;
    let at = start;
    for (let index = 0; index < length; index += 1) {
      const unit = value.charCodeAt(index);
      if (unit > lastAscii) {
        at = start + piece.write(value, start);
        break;
      }
      piece[at] = unit;
      at += 1;
    }
    piece[start - 1] = at - start;
    this.used = at;
  }

  /** Ensures space for more bytes. The current row moves along, so it stays contiguous. */
  private demand(bytes: number): void {
    if (this.piece.length - this.used >= bytes) return;
    const begun = this.piece.subarray(this.start, this.used);
    // With room for what follows, else the row would be copied for each of its values; of a very large one a second copy hurts more.
    const room = Math.min(begun.length + bytes, maxBytes);
    const size = Math.max(begun.length + bytes + room, Math.min(maxBytes, this.piece.length * 2));
    this.piece = Buffer.from(this.memory.take(size));
    begun.copy(this.piece);
    this.start = 0;
    this.used = begun.length;
  }
}

/** Bytes of a varint. */
function bytesOfCount(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > lastOneByteLength; rest = Math.floor(rest / moreBytesFollow)) bytes += 1;
  return bytes;
}

/** Values of hexadecimal digits by character code; -1 for other characters. */
const nibbles = Int8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCodePoint(code), 16);
  return Number.isNaN(value) ? -1 : value;
});

function nibbleOf(hex: string, index: number): number {
  return nibbles[hex.charCodeAt(index)] ?? -1;
}

function notHex(text: string): RangeError {
  return new RangeError(`${JSON.stringify(text)} is not 32 hexadecimal digits`);
}

/** Joins rows that are adjacent in memory, without a copy. */
export function joinedRows(rows: readonly Uint8Array[]): readonly Uint8Array[] {
  const joined: Uint8Array[] = [];
  let [first] = rows;
  if (first === undefined) return joined;
  let end = first.byteOffset;
  for (const row of rows) {
    if (row.buffer !== first.buffer || row.byteOffset !== end) {
      joined.push(new Uint8Array(first.buffer, first.byteOffset, end - first.byteOffset));
      first = row;
      end = row.byteOffset;
    }
    end += row.length;
  }
  joined.push(new Uint8Array(first.buffer, first.byteOffset, end - first.byteOffset));
  return joined;
}
