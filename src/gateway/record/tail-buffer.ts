import { LongRuns } from '../../model/json/long-runs.ts';

/** Enough for a provider's usage at the end of a response, and for the fields of a form after its file. */
const maxBytes = 64 * 1024;
/** Maximum number of separate pieces. */
const maxPieces = 256;

/** Keeps the last bytes of a body beyond its recorded part. */
export class TailBuffer {
  /** Whether it has all bytes since the first one. */
  isComplete = true;
  private chunks: Buffer[] = [];
  private length = 0;

  add(chunk: Uint8Array): void {
    if (this.length + chunk.length > maxBytes) this.isComplete = false;
    // Copied, so that a few bytes do not keep a whole read in memory.
    const last = Buffer.from(chunk.subarray(Math.max(0, chunk.length - maxBytes)));
    this.chunks.push(last);
    this.length += last.length;
    // Joined now and then, because a body may arrive byte by byte.
    if (this.length <= 2 * maxBytes && this.chunks.length <= maxPieces) return;
    const joined = Buffer.from(this.bytes());
    this.chunks = [joined];
    this.length = joined.length;
  }

  bytes(): Buffer {
    const all = Buffer.concat(this.chunks);
    return all.subarray(Math.max(0, all.length - maxBytes));
  }
}

/**
 * Keeps the last bytes of a response beyond its recorded part, with its long strings shortened: the usage is in the last event, which may
 * repeat a picture of megabytes.
 */
export class ResponseTail {
  private readonly tail = new TailBuffer();
  private readonly runs = new LongRuns();

  get isComplete(): boolean {
    return this.tail.isComplete;
  }

  add(chunk: Buffer): void {
    for (const settled of this.runs.push(chunk)) if (settled.length > 0) this.tail.add(settled);
  }

  bytes(): Buffer {
    for (const rest of this.runs.end()) this.tail.add(rest);
    return this.tail.bytes();
  }
}
