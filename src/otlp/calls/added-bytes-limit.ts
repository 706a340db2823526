import type { LoggedCall } from '../../model/record/logged-call.ts';
import { surfaceBounds } from '../../model/record/surface-bounds.ts';
import { TooManySpans } from '../received/limits.ts';

const { added } = surfaceBounds.spans;

/**
 * Bytes that a request may add to the spool. What many spans share, tags of the request and attributes of the resource, is in the record of
 * each, so that a small request could add very much. @param sentBytes decompressed.
 */
export function mayAdd(sentBytes: number, spans: number): number {
  return Math.min(added.most, added.free + added.perSentByte * sentBytes + added.perRecord * spans);
}

/** The most that the frames of a record have beside what its call says: identifiers, the key's hash, times and sizes, heads of frames. */
const frameBytes = 1024;

/** @returns at least the bytes that the record of a call has in the spool, but for bodies that are not kept whole. */
export function addedBytesOf({ requestBody, response: { body, ...head }, ...said }: LoggedCall): number {
  return frameBytes + Buffer.byteLength(JSON.stringify({ ...said, head })) + requestBody.length + body.length;
}

/** Counts what the calls of one request add, before any of it is written. */
export class AddedBytesLimit {
  private readonly maxBytes: number;
  private bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** @throws TooManySpans when the call is too much. */
  add(call: LoggedCall): void {
    this.bytes += addedBytesOf(call);
    if (this.bytes <= this.maxBytes) return;
    throw new TooManySpans(
      `The records of these spans would have more than ${this.maxBytes} bytes: what they share, as headers and attributes of the resource, is in each. Send less of it, or smaller batches.`,
    );
  }
}
