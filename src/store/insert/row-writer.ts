import { RowMemory } from './buffer-pool.ts';

const minBytes = 64 * 1024;
const maxBytes = 4 * 1024 * 1024;
/** A UTF-16 unit becomes at most so many bytes of UTF-8. */
export const maxBytesOfUnit = 3;
/** Texts of so few units have one byte for their length, whatever they are made of. */
const shortUnits = 42;
/** Bytes of the longest value that is no text. */
const widestValue = 16;
const lastOneByteLength = 0x7f;
const moreBytesFollow = 0x80;
const lastAscii = 0x7f;
const word = 2 ** 32;
const hyphen = 0x2d;
/** Texts of up to so many units are written without being measured first. */
const unmeasuredUnits = 64 * 1024;

/**
 * Rows as bytes in ClickHouse's RowBinary: the values of a row one behind the other, without names, numbers in little endian, a text behind its length.
 * Rows stand behind each other in few pieces of memory, which another thread reads without a copy.
 * Source: https://clickhouse.com/docs/interfaces/formats/RowBinary
 */
export class RowWriter {
  private readonly memory: RowMemory;
  private piece: Buffer;
  private used = 0;
  /** Where the row began that is being written. */
  private start = 0;

  constructor(memory: RowMemory = new RowMemory()) {
    this.memory = memory;
    this.piece = Buffer.from(memory.take(minBytes));
  }

  /** @returns the bytes of the row that `write` has put in; what it put in before it threw is forgotten. */
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

  /** One byte: a flag, or the sign before a value that may be absent. */
  byte(value: number): void {
    this.demand(1);
    this.piece[this.used] = value;
    this.used += 1;
  }

  uint16(value: number): void {
    this.demand(2);
    this.used = this.piece.writeUInt16LE(value, this.used);
  }

  /** @throws RangeError on what is no whole number within 64 bits. */
  uint64(value: number | bigint): void {
    this.demand(8);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
      this.used = this.piece.writeUInt32LE(value % word, this.used);
      this.used = this.piece.writeUInt32LE(Math.floor(value / word), this.used);
    } else {
      this.used = this.piece.writeBigUInt64LE(BigInt(value), this.used);
    }
  }

  /** @throws RangeError on what is no whole number within 64 bits and a sign. */
  int64(value: number): void {
    this.demand(8);
    this.used = this.piece.writeBigInt64LE(BigInt(value), this.used);
  }

  /** @throws RangeError on what does not fit into 128 bits with a sign. */
  int128(value: bigint): void {
    this.demand(widestValue);
    this.used = this.piece.writeBigUInt64LE(BigInt.asUintN(64, value), this.used);
    this.used = this.piece.writeBigInt64LE(value >> 64n, this.used);
  }

  /** Thirty-two hexadecimal digits, highest first, as an unsigned 128-bit number; hyphens between bytes do not count. @throws RangeError on what is not that. */
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

  /** How many bytes or members follow. */
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

  /** A text as UTF-8; a half of a pair of units that stands alone becomes U+FFFD. */
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

  /** Written first, its length put in front of it afterwards: to measure it takes nearly as long as to write it. */
  private unmeasuredText(value: string): void {
    this.demand(widestValue + value.length * maxBytesOfUnit);
    // Most texts have a byte for each unit.
    const expected = this.used + bytesOfCount(value.length);
    const bytes = this.piece.write(value, expected);
    const start = this.used + bytesOfCount(bytes);
    if (start !== expected) this.piece.copyWithin(start, expected, expected + bytes);
    this.count(bytes);
    this.used += bytes;
  }

  /** TRICKY: of few letters a loop takes less than a call into Node's own writing. */
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

  /** Room for so many bytes more; the row that is being written moves along, so that it stays in one piece. */
  private demand(bytes: number): void {
    if (this.piece.length - this.used >= bytes) return;
    const begun = this.piece.subarray(this.start, this.used);
    // Twice the row at least: one that grew by what it needs alone would be copied for each of its values.
    const size = Math.max(begun.length + bytes, begun.length * 2, Math.min(maxBytes, this.piece.length * 2));
    this.piece = Buffer.from(this.memory.take(size));
    begun.copy(this.piece);
    this.start = 0;
    this.used = begun.length;
  }
}

/** How many bytes a count has. */
function bytesOfCount(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > lastOneByteLength; rest = Math.floor(rest / moreBytesFollow)) bytes += 1;
  return bytes;
}

/** Values of hexadecimal digits by their character code; all others are negative. */
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

/** Rows behind each other: those that stand so in one piece of memory as one, without being copied. */
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
