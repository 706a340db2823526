import type { Zstd } from '@hpcc-js/wasm-zstd';

/** `RFC 8878`, section 3.1: the magic numbers of a frame and of frames to skip, as read in little endian. */
const frameMagic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;
const skippableMask = 0xfffffff0;
const blockHeaderBytes = 3;
const checksumBytes = 4;
const [rawBlock, runBlock] = [0, 1];
/** Most bytes that a block becomes, and what the library holds back of earlier ones. */
const maxOutputBytes = 512 * 1024;

/**
 * Decompresses zstd as it comes, in memory of one block and the window, for any number of frames one after the other.
 * TRICKY: the library drops input whose output does not fit, and stops behind a frame. So each call gets one block, and each frame begins
 * again. @throws Error for what is not zstd.
 */
export async function* unzstd(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const zstd = await (await import('@hpcc-js/wasm-zstd')).Zstd.load();
  const input = new Bytes(pieces);
  for (let magic = await input.peek(4); magic !== undefined; magic = await input.peek(4)) {
    const number = magic.readUInt32LE();
    if (isSkippable(number)) {
      const head = await input.take(8);
      await input.take(head.readUInt32LE(4));
    } else if (number === frameMagic) yield* frame(input, zstd);
    else throw new Error('it holds what is not zstd');
  }
}

async function* frame(input: Bytes, zstd: Zstd): AsyncGenerator<Buffer, void> {
  const beginning = await input.peek(5);
  const descriptor = beginning?.[4] ?? 0;
  zstd.reset();
  let head = await input.take(headerBytes(descriptor));
  for (let isLast = false; !isLast;) {
    const blockHead = await input.take(blockHeaderBytes);
    const bits = blockHead.readUIntLE(0, blockHeaderBytes);
    isLast = (bits & 1) === 1;
    const kind = (bits >> 1) & 3;
    const block = await input.take(kind === runBlock ? 1 : bits >> 3);
    if (kind > 2 || (kind === rawBlock && block.length === 0 && !isLast)) throw new Error('a block of it is damaged');
    const checksum = isLast && (descriptor & 4) !== 0 ? await input.take(checksumBytes) : Buffer.alloc(0);
    const bytes = zstd.decompressChunk(Buffer.concat([head, blockHead, block, checksum]), maxOutputBytes);
    head = Buffer.alloc(0);
    if (bytes.length > 0) yield Buffer.from(bytes);
  }
}

/** Bytes of a frame's header with its magic number, by its descriptor. */
function headerBytes(descriptor: number): number {
  const isSingle = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return 5 + (isSingle ? 0 : 1) + dictionaryBytes + sizeBytes;
}

/** @param beginning at least four bytes of a file. */
export function isZstd(beginning: Buffer): boolean {
  if (beginning.length < 4) return false;
  const magic = beginning.readUInt32LE();
  return magic === frameMagic || isSkippable(magic);
}

function isSkippable(magic: number): boolean {
  return (magic & skippableMask) >>> 0 === skippableMagic;
}

/** Takes bytes off the front of pieces. */
class Bytes {
  private readonly pieces: AsyncIterator<Buffer>;
  private held: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.pieces = pieces[Symbol.asyncIterator]();
  }

  /** @returns the next bytes, which stay; undefined at the end. @throws when it ends in them. */
  async peek(length: number): Promise<Buffer | undefined> {
    await this.fill(length);
    if (this.held.length === 0) return undefined;
    if (this.held.length < length) throw new Error('it ends in the middle of a frame');
    return this.held.subarray(0, length);
  }

  async take(length: number): Promise<Buffer> {
    await this.fill(length);
    if (this.held.length < length) throw new Error('it ends in the middle of a frame');
    const taken = this.held.subarray(0, length);
    this.held = this.held.subarray(length);
    return taken;
  }

  private async fill(length: number): Promise<void> {
    const parts = [this.held];
    let bytes = this.held.length;
    while (bytes < length) {
      const next = await this.pieces.next();
      if (next.done === true) break;
      parts.push(next.value);
      bytes += next.value.length;
    }
    if (parts.length > 1) this.held = Buffer.concat(parts);
  }
}
