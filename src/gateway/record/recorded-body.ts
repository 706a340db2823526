import type { BodyKeeping } from '../../model/record/exchange.ts';
import { TailBuffer } from './tail-buffer.ts';

/** Counts one body of an exchange, and cuts it to what may be recorded. */
export class RecordedBody {
  readonly frameKind: number;
  readonly isKept: boolean;
  bytes = 0;
  /** Parts of it are missing in the record. */
  isCut = false;
  private tail: TailBuffer | undefined;

  constructor(frameKind: number, keeping: BodyKeeping | undefined) {
    this.frameKind = frameKind;
    this.isKept = keeping !== 'never';
  }

  /** Counts a chunk. @returns what of it is recorded; the last bytes of the rest are in {@link tailBytes}. */
  take(chunk: Uint8Array, maxBytes: number): Uint8Array {
    const left = Math.max(0, maxBytes - this.bytes);
    this.bytes += chunk.length;
    if (chunk.length <= left) return chunk;
    this.isCut = true;
    (this.tail ??= new TailBuffer()).add(chunk.subarray(left));
    return chunk.subarray(0, left);
  }

  tailBytes(): Uint8Array | undefined {
    return this.isKept ? this.tail?.bytes() : undefined;
  }
}
