import { maxNewSpans, newSpans, noText, allOfText } from './new-text.ts';
import type { Span } from './spans.ts';

/** The column `new_spans` as rows are written: a row has room for as many places as the index names. */
export const allNew: readonly Span[] = [allOfText, noText, noText];
/** Filters read no text of such a body. */
export const nothingNew: readonly Span[] = [noText, noText, noText];

/** Where values stand in a row of `rowsOf` for `bodies`: behind its key the group, then `new_spans` behind the number of them. */
const offsets = { newSpans: 49, requestKind: 49 + maxNewSpans * 8 } as const;

/** The text of a request's body as its row has it, which filters read. */
export function requestTextOf(row: Uint8Array): Buffer {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength);
  const [kindBytes, kind] = countAt(bytes, offsets.requestKind);
  const [length, start] = countAt(bytes, kind + kindBytes);
  return bytes.subarray(start, start + length);
}

/** Says in a row what its request says that an earlier text does not. */
export function markNew(row: Uint8Array, earlier: Buffer): void {
  writeSpans(row, newSpans(earlier, requestTextOf(row)));
}

/** Says in a row that all of its request is new. */
export function markAllNew(row: Uint8Array): void {
  writeSpans(row, allNew);
}

function writeSpans({ buffer, byteOffset, byteLength }: Uint8Array, spans: readonly Span[]): void {
  const view = new DataView(buffer, byteOffset, byteLength);
  for (let index = 0; index < maxNewSpans; index += 1) {
    const [start, bytes] = spans[index] ?? noText;
    view.setUint32(offsets.newSpans + index * 8, start, true);
    view.setUint32(offsets.newSpans + index * 8 + 4, bytes, true);
  }
}

/** A number as a varint (LEB128), and where it ends. */
function countAt(bytes: Buffer, at: number): readonly [count: number, end: number] {
  let [count, factor, end] = [0, 1, at];
  for (;;) {
    const byte = bytes[end] ?? 0;
    count += (byte & 0x7f) * factor;
    factor *= 0x80;
    end += 1;
    if (byte < 0x80) return [count, end];
  }
}
