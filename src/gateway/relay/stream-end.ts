import { wireProfile } from '../../providers/wire-profile.ts';

/** Events are not parsed: a text that merely contains a marker only waits a little longer. */
const markers = wireProfile.streamEndMarkers.map((text) => Buffer.from(text));
const maxMarkerBytes = Math.max(...markers.map((marker) => marker.length));

const binaryTypes = wireProfile.binaryStreamTypes.map((type) => String.raw`vnd\.${type.replaceAll('.', String.raw`\.`)}`);
/** Streams other than server-sent events: JSON lines, and binary messages, which may hold the provider's events in base64. */
const opaqueTypes = new RegExp(
  String.raw`^\s*application/(?:(?:x-)?nd-?json|(?:x-)?json-?l(?:ines)?|json-seq|stream\+json|${binaryTypes.join('|')})\b`,
  'i',
);

/** Whether any chunk may be the last for its reader, because the bytes of such a stream do not show its end. */
export function endIsOpaque(contentType: string | undefined): boolean {
  return contentType !== undefined && opaqueTypes.test(contentType);
}

export class StreamEndDetector {
  /** The last bytes that passed: enough for all but one byte of any marker. */
  private tail: Buffer = Buffer.alloc(0);

  /** @returns whether this chunk completes a marker. */
  completesMarker(chunk: Buffer): boolean {
    const { tail } = this;
    const seam = tail.length === 0 ? chunk : Buffer.concat([tail, chunk.subarray(0, maxMarkerBytes - 1)]);
    const found = markers.some((marker) => {
      // A marker that lies entirely in the tail was seen with an earlier chunk.
      const acrossSeam = tail.length > 0 && seam.includes(marker, Math.max(0, tail.length - marker.length + 1));
      return acrossSeam || chunk.includes(marker);
    });
    const recent = chunk.length >= maxMarkerBytes - 1 ? chunk : seam;
    // Copied, so that a few bytes do not keep the whole chunk in memory.
    this.tail = Buffer.from(recent.subarray(Math.max(0, recent.length - maxMarkerBytes + 1)));
    return found;
  }
}
