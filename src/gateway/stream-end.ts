/**
 * What ends a stream for its client before the connection says so: after these bytes an official client stops reading. A text that merely
 * contains one costs nothing but a short wait, so there is no need to parse events here.
 */
const endings = ['[DONE]', 'message_stop', 'response.completed', 'response.incomplete', 'response.failed'].map((text) => Buffer.from(text));
const longest = Math.max(...endings.map((ending) => ending.length));

/** Watches the chunks of one stream for an ending, also where it is split over two chunks. */
export class StreamEndWatch {
  private tail: Buffer = Buffer.alloc(0);

  /** True when an ending is completed by this chunk. */
  sees(chunk: Buffer): boolean {
    const joint = this.tail.length === 0 ? chunk : Buffer.concat([this.tail, chunk.subarray(0, longest)]);
    const found = endings.some((ending) => joint.includes(ending) || (joint !== chunk && chunk.includes(ending)));
    const recent = chunk.length >= longest ? chunk : Buffer.concat([this.tail, chunk]);
    this.tail = recent.subarray(Math.max(0, recent.length - longest + 1));
    return found;
  }
}
