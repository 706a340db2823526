/** A line of a text, without its line break and the blanks around it. */
export interface Line {
  /** In the text, from 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

const lineFeed = 0x0a;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d]);

/** Splits a text that comes in pieces. Blank lines are counted and left out. A line is copied only where it lies in several pieces. */
export class LineSplitter {
  private readonly maxBytes: number;
  private readonly tooLong: (number: number) => Error;
  private number = 0;
  private begun: Buffer[] = [];
  private begunBytes = 0;

  /** @param tooLong what is thrown for a line of more than `maxBytes`. */
  constructor(maxBytes: number, tooLong: (number: number) => Error) {
    this.maxBytes = maxBytes;
    this.tooLong = tooLong;
  }

  *take(piece: Buffer): Generator<Line, void> {
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end !== -1; end = piece.indexOf(lineFeed, start)) {
      const line = this.finished(piece.subarray(start, end));
      if (line !== undefined) yield line;
      start = end + 1;
    }
    const rest = piece.subarray(start);
    this.begunBytes += rest.length;
    if (this.begunBytes > this.maxBytes) throw this.tooLong(this.number + 1);
    if (rest.length > 0) this.begun.push(rest);
  }

  /** The last line, where no line break ends it. */
  *end(): Generator<Line, void> {
    const line = this.begun.length === 0 ? undefined : this.finished(Buffer.alloc(0));
    if (line !== undefined) yield line;
  }

  private finished(last: Buffer): Line | undefined {
    const whole = this.begun.length === 0 ? last : Buffer.concat([...this.begun, last]);
    this.begun = [];
    this.begunBytes = 0;
    this.number += 1;
    if (whole.length > this.maxBytes) throw this.tooLong(this.number);
    const isMarked = this.number === 1 && whole.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    const bytes = trimmed(isMarked ? whole.subarray(byteOrderMark.length) : whole);
    return bytes.length === 0 ? undefined : { number: this.number, bytes };
  }
}

function trimmed(line: Buffer): Buffer {
  let start = 0;
  let end = line.length;
  while (start < end && blanks.has(line[start] ?? 0)) start += 1;
  while (end > start && blanks.has(line[end - 1] ?? 0)) end -= 1;
  return line.subarray(start, end);
}
