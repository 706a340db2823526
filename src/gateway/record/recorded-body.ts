import { type BodyKeeping, frameKinds } from '../../model/record/exchange.ts';
import { ResponseTail, TailBuffer } from './tail-buffer.ts';

/** Counts one body of an exchange and truncates it to its limit. */
export class RecordedBody {
  readonly frameKind: number;
  readonly isRecorded: boolean;
  bytes = 0;
  isCut = false;
  private tail: TailBuffer | ResponseTail | undefined;

  constructor(frameKind: number, keeping: BodyKeeping | undefined) {
    this.frameKind = frameKind;
    this.isRecorded = keeping !== 'never';
  }

  /**
   * Counts a chunk.
   * @returns the recorded part of it; {@link tailBytes} has the last bytes of the rest.
   */
  take(chunk: Uint8Array, maxBytes: number): Uint8Array {
    const left = Math.max(0, maxBytes - this.bytes);
    this.bytes += chunk.length;
    if (chunk.length <= left) return chunk;
    this.isCut = true;
    this.tail ??= this.frameKind === frameKinds.responsePart ? new ResponseTail() : new TailBuffer();
    this.tail.add(Buffer.from(chunk.buffer, chunk.byteOffset + left, chunk.length - left));
    return chunk.subarray(0, left);
  }

  /** Whether {@link tailBytes} begins where the recorded part ends. */
  get tailFollows(): boolean {
    return this.tail?.isComplete === true;
  }

  tailBytes(): Uint8Array | undefined {
    return this.isRecorded ? this.tail?.bytes() : undefined;
  }
}
