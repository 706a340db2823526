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

/** Counts what the calls of one request add, before any of it is written. */
export class AddedBytesLimit {
  private readonly maxBytes: number;
  private bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** @throws TooManySpans when the call is too much. */
  add({ tags, requestBody, response }: LoggedCall): void {
    this.bytes += Buffer.byteLength(JSON.stringify(tags)) + requestBody.length + response.body.length;
    if (this.bytes <= this.maxBytes) return;
    throw new TooManySpans(
      `The records of these spans would have more than ${this.maxBytes} bytes: what they share, as headers and attributes of the resource, is in each. Send less of it, or smaller batches.`,
    );
  }
}
