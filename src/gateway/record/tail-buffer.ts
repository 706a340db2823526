/** Enough for a provider's usage at the end of a response, and for the fields of a form after its file. */
const maxBytes = 64 * 1024;
/** Maximum number of separate pieces. */
const maxPieces = 256;

/** Keeps the last bytes of a body beyond its recorded part: the usage is at the end of a response. */
export class TailBuffer {
  private chunks: Buffer[] = [];
  private length = 0;

  add(chunk: Uint8Array): void {
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
