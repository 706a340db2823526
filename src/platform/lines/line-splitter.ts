/** A line of a text, without its line break and the blanks around it. */
export interface Line {
  /** In the text, from 1. */
  readonly number: number;
  /** Empty for a line over the limit. */
  readonly bytes: Buffer;
  readonly isTooLong: boolean;
}

const lineFeed = 0x0a;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d]);

/**
 * Splits a text that comes in pieces. Blank lines are counted and left out. A line is copied only where it lies in several pieces, and of a
 * line over the limit no more is held than that.
 */
export class LineSplitter {
  private readonly maxBytes: number;
  private readonly onTooLong: (piece: Buffer) => void;
  private number = 0;
  private begun: Buffer[] = [];
  private begunBytes = 0;
  private isTooLong = false;

  /** @param onTooLong gets the pieces of a line over the limit as they come, without its line break. */
  constructor(maxBytes: number, onTooLong: (piece: Buffer) => void = () => undefined) {
    this.maxBytes = maxBytes;
    this.onTooLong = onTooLong;
  }

  /** Bytes of a line that has not ended. */
  get heldBytes(): number {
    return this.isTooLong ? 0 : this.begunBytes;
  }

  *take(piece: Buffer): Generator<Line, void> {
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end !== -1; end = piece.indexOf(lineFeed, start)) {
      // A body of line breaks alone would take seconds else.
      if (end === start && this.begunBytes === 0) {
        start = end + 1;
        this.number += 1;
        continue;
      }
      this.add(piece.subarray(start, end));
      const line = this.finished();
      if (line !== undefined) yield line;
      start = end + 1;
    }
    if (start < piece.length) this.add(piece.subarray(start));
  }

  /** The last line, where no line break ends it. */
  *end(): Generator<Line, void> {
    const line = this.begunBytes === 0 ? undefined : this.finished();
    if (line !== undefined) yield line;
  }

  private add(part: Buffer): void {
    this.begun.push(part);
    this.begunBytes += part.length;
    this.isTooLong ||= this.begunBytes > this.maxBytes;
    if (this.isTooLong) for (const passed of this.begun.splice(0)) this.onTooLong(passed);
  }

  private finished(): Line | undefined {
    const { begun, isTooLong } = this;
    const [first = Buffer.alloc(0)] = begun;
    const line = begun.length <= 1 ? first : Buffer.concat(begun);
    this.begun = [];
    this.begunBytes = 0;
    this.isTooLong = false;
    this.number += 1;
    if (isTooLong) return { number: this.number, bytes: line, isTooLong };
    const isMarked = this.number === 1 && line.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    const bytes = trimmed(isMarked ? line.subarray(byteOrderMark.length) : line);
    return bytes.length === 0 ? undefined : { number: this.number, bytes, isTooLong };
  }
}

function trimmed(line: Buffer): Buffer {
  let start = 0;
  let end = line.length;
  while (start < end && blanks.has(line[start] ?? 0)) start += 1;
  while (end > start && blanks.has(line[end - 1] ?? 0)) end -= 1;
  return line.subarray(start, end);
}
