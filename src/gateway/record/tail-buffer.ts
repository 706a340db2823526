/** What a provider says of usage at the end of a reply, and the fields of a form behind its file, have room in it. */
const maxBytes = 64 * 1024;
/** Pieces that are kept apart. */
const maxPieces = 256;

/** Keeps the last bytes of a body of which no more is recorded: what a call cost stands at the end of its reply. */
export class TailBuffer {
  private chunks: Buffer[] = [];
  private length = 0;

  add(chunk: Uint8Array): void {
    // Copied, so that a few bytes do not keep a whole read in memory.
    const last = Buffer.from(chunk.subarray(Math.max(0, chunk.length - maxBytes)));
    this.chunks.push(last);
    this.length += last.length;
    // Joined now and then, as a body may come byte by byte.
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
