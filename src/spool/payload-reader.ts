import { closeSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { frameHeaderBytes, isPayloadIntact, readFrameHeader } from './frame.ts';
import { type FrameLocation, segmentName } from './spool.ts';

/** Size of one read: the frames of about 100 exchanges. */
const blockBytes = 256 * 1024;
/** Max cached blocks of the open segment; frames of one exchange may have others between them. */
const maxBlocks = 8;

/** Reads payloads of frames by their locations. Frames of many exchanges are adjacent, so blocks are cached. The creator closes it. */
export class PayloadReader {
  private folder = '';
  private segment = -1;
  private descriptor = -1;
  private readonly blocks = new Map<number, Block>();
  /** Memory for further blocks. */
  private readonly free: Buffer[] = [];
  /** Memory of blocks dropped since the last call began; the payloads that it returned may still point there. */
  private readonly released: Buffer[] = [];

  /** @returns the payloads, which are valid until the next call. @throws when a segment is gone or damaged since. */
  read(seriesFolder: string, frames: readonly FrameLocation[]): Buffer[] {
    this.free.push(...this.released.splice(0).slice(0, maxBlocks - this.free.length));
    return frames.map((frame) => {
      if (frame.segment !== this.segment || seriesFolder !== this.folder) this.open(seriesFolder, frame.segment);
      const bytes = this.bytesAt(frame.offset, frameHeaderBytes + frame.length);
      const header = bytes === undefined ? undefined : readFrameHeader(bytes, 0);
      const payload = bytes?.subarray(frameHeaderBytes);
      if (header === undefined || payload === undefined || header.stream !== frame.stream || !isPayloadIntact(payload, header)) {
        throw new Error(`the frame at ${frame.segment}:${frame.offset} is not as it was when it was first read`);
      }
      return payload;
    });
  }

  close(): void {
    if (this.descriptor !== -1) closeSync(this.descriptor);
    this.descriptor = -1;
    this.segment = -1;
    for (const number of this.blocks.keys()) this.release(number);
  }

  private open(folder: string, segment: number): void {
    this.close();
    this.descriptor = openSync(path.join(folder, segmentName(segment)), 'r');
    this.folder = folder;
    this.segment = segment;
  }

  /** @returns undefined when the file is shorter. */
  private bytesAt(offset: number, length: number): Buffer | undefined {
    const number = Math.floor(offset / blockBytes);
    const start = offset - number * blockBytes;
    if (start + length <= blockBytes) {
      const block = this.block(number);
      // TRICKY: a block may have been read while the file was still shorter than it is now.
      if (start + length <= block.filled) return block.memory.subarray(start, start + length);
    }
    const bytes = Buffer.allocUnsafe(length);
    return readSync(this.descriptor, bytes, 0, length, offset) === length ? bytes : undefined;
  }

  private block(number: number): Block {
    const cached = this.blocks.get(number);
    if (cached !== undefined) return cached;
    if (this.blocks.size >= maxBlocks) this.release(Math.min(...this.blocks.keys()));
    const memory = this.free.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
    const block = { memory, filled: readSync(this.descriptor, memory, 0, blockBytes, number * blockBytes) };
    this.blocks.set(number, block);
    return block;
  }

  private release(number: number): void {
    const block = this.blocks.get(number);
    this.blocks.delete(number);
    if (block !== undefined) this.released.push(block.memory);
  }
}

/** A part of a segment; `filled` bytes of the memory hold it. */
interface Block {
  readonly memory: Buffer;
  readonly filled: number;
}

/** Reads the payloads of one exchange's frames. @throws when a segment is gone or damaged since. */
export function readPayloads(seriesFolder: string, frames: readonly FrameLocation[]): Buffer[] {
  const reader = new PayloadReader();
  try {
    return reader.read(seriesFolder, frames);
  } finally {
    reader.close();
  }
}
