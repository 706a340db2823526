import { wireFacts } from '../../providers/wire-facts.ts';

/** A text that merely contains a marker costs nothing but a short wait, so there is no need to parse events here. */
const endings = wireFacts.streamEndMarkers.map((text) => Buffer.from(text));
const longest = Math.max(...endings.map((ending) => ending.length));

const binaryTypes = wireFacts.binaryStreamTypes.map((type) => String.raw`vnd\.${type.replaceAll('.', String.raw`\.`)}`);
/** Streams that are no server-sent events: lines of JSON, and binary messages, which may hold the provider's events in base64. */
const framedOtherwise = new RegExp(
  String.raw`^\s*application/(?:(?:x-)?nd-?json|(?:x-)?json-?l(?:ines)?|json-seq|stream\+json|${binaryTypes.join('|')})\b`,
  'i',
);

/** Whether a body is a stream whose end cannot be told by looking at its bytes, so that any of its chunks may be the last for its reader. */
export function endIsOpaque(contentType: string | undefined): boolean {
  return contentType !== undefined && framedOtherwise.test(contentType);
}

/** Watches the chunks of one stream for an ending, also where it is split over several chunks. */
export class StreamEndDetector {
  /** The last bytes that passed: enough to hold all but one byte of any ending. */
  private tail: Buffer = Buffer.alloc(0);

  /** True when an ending is completed by this chunk. */
  sees(chunk: Buffer): boolean {
    const { tail } = this;
    const seam = tail.length === 0 ? chunk : Buffer.concat([tail, chunk.subarray(0, longest - 1)]);
    const found = endings.some((ending) => {
      // An ending that lies in the tail as a whole was seen with an earlier chunk.
      const acrossSeam = tail.length > 0 && seam.includes(ending, Math.max(0, tail.length - ending.length + 1));
      return acrossSeam || chunk.includes(ending);
    });
    const recent = chunk.length >= longest - 1 ? chunk : seam;
    // Copied, so that a few bytes do not keep the whole chunk in memory.
    this.tail = Buffer.from(recent.subarray(Math.max(0, recent.length - longest + 1)));
    return found;
  }
}
