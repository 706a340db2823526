/**
 * What ends a stream for its client before the connection says so: after these bytes an official client stops reading, be it content or not.
 * A text that merely contains one costs nothing but a short wait, so there is no need to parse events here.
 */
const endings = [
  '[DONE]',
  'message_stop',
  'message-end',
  // OpenAI's responses and pictures, and, in the middle of a response, calls of its tools, which wait as shortly.
  '.completed',
  'response.incomplete',
  'response.failed',
  'transcript.text.done',
  'transcription.done',
  'speech.audio.done',
  'event: error',
  '"error"',
].map((text) => Buffer.from(text));
const longest = Math.max(...endings.map((ending) => ending.length));

/** Streams that are none of server-sent events: lines of JSON (Ollama's), and Amazon's binary messages, with the provider's events inside in base64. */
const framedOtherwise = /^\s*application\/(?:(?:x-)?nd-?json|(?:x-)?json-?l(?:ines)?|json-seq|stream\+json|vnd\.amazon\.eventstream)\b/i;

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
