import { Decompress } from 'fzstd';

/** RFC 8878, section 3.1: the magic numbers of a frame and of frames to skip, as read in little endian. */
const frameMagic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;
const skippableMask = 0xfffffff0;
const magicBytes = 4;
/** Magic numbers as they are written, in hexadecimal. */
const beginnings = ['28b52ffd', ...Array.from({ length: 16 }, (_, index) => `5${index.toString(16)}2a4d18`)];
const notZstd = 'It holds what is not zstd.';
const blockHeaderBytes = 3;
const checksumBytes = 4;
const [runBlock, reservedBlock] = [1, 3];
/** A frame with a larger window is not read: it would make us reserve that memory. A content coding has no larger one (RFC 9659). */
const maxWindowBytes = 8 * 1024 * 1024;
/** No block is longer than this, or than the window. */
const maxBlockBytes = 128 * 1024;

/**
 * Decodes zstd in steps of one block, any number of frames one after the other; truncated bytes as far as they go. Checksums are not
 * checked. @returns whether nothing is missing at the end, nor behind `maxBlocks`. @throws Error for what is not zstd, names a dictionary,
 * or has more than `maxBytes`; the last has the code of Node's decoders.
 */
export function* unzstdSteps(bytes: Uint8Array, maxBytes: number, maxBlocks = Infinity): Generator<Buffer, boolean> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let decodedBytes = 0;
  let blocks = 0;
  let at = 0;
  while (at + magicBytes <= all.length) {
    const magic = all.readUInt32LE(at);
    if ((magic & skippableMask) >>> 0 === skippableMagic) {
      if (at + 2 * magicBytes > all.length) return false;
      at += 2 * magicBytes + all.readUInt32LE(at + magicBytes);
      continue;
    }
    if (magic !== frameMagic) throw new Error(notZstd);
    const header = readHeader(all, at);
    if (header === undefined) return false;
    let pieces: Buffer[] = [];
    const decoder = new Decompress((piece) => void pieces.push(Buffer.from(piece)));
    decoder.push(withSmallWindow(all.subarray(at, at + header.bytes), maxBytes), false);
    let from = at + header.bytes;
    let next: Block | undefined = { end: from, isLast: false };
    while (!next.isLast) {
      next = readBlock(all, next.end, header.hasChecksum);
      blocks += 1;
      if (next === undefined || blocks > maxBlocks) return false;
      decoder.push(all.subarray(from, next.end), next.isLast);
      from = next.end;
      for (const piece of pieces) {
        decodedBytes += piece.length;
        if (decodedBytes > maxBytes) throw tooLong();
        if (piece.length > 0) yield piece;
      }
      pieces = [];
    }
    at = next.end;
  }
  if (at < all.length && !beginnings.some((beginning) => beginning.startsWith(all.toString('hex', at)))) throw new Error(notZstd);
  return at === all.length;
}

function tooLong(): Error {
  return Object.assign(new RangeError('It decodes to more than it may.'), { code: 'ERR_BUFFER_TOO_LARGE' });
}

/** As {@link unzstdSteps}, at once. @throws as that. */
export function unzstd(bytes: Uint8Array, maxBytes: number, maxBlocks?: number): Buffer {
  return Buffer.concat([...unzstdSteps(bytes, maxBytes, maxBlocks)]);
}

/**
 * The header of a frame, with a window that is no larger than all that may be decoded: the decoder moves it for each block, which takes most
 * of the time where blocks are small.
 */
function withSmallWindow(header: Buffer, maxBytes: number): Buffer {
  const at = magicBytes + 1;
  const exponent = Math.ceil(Math.log2(Math.max(maxBytes, maxBlockBytes)));
  if (isSingleSegment(header[magicBytes] ?? 0) || windowSize(header[at] ?? 0) <= 2 ** exponent) return header;
  const smaller = Buffer.from(header);
  smaller[at] = (exponent - leastWindowExponent) << 3;
  return smaller;
}

/** Such a frame has a content size in place of the window. */
function isSingleSegment(descriptor: number): boolean {
  return (descriptor & 0x20) !== 0;
}

interface Header {
  /** With the magic number. */
  readonly bytes: number;
  readonly hasChecksum: boolean;
}

/** @returns undefined for a truncated one. @throws for a dictionary and for a window that is too large. */
function readHeader(all: Buffer, at: number): Header | undefined {
  const descriptor = all[at + magicBytes];
  if (descriptor === undefined) return undefined;
  const isSingle = isSingleSegment(descriptor);
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const windowBytes = isSingle ? 0 : 1;
  const bytes = magicBytes + 1 + windowBytes + dictionaryBytes + sizeBytes;
  if (at + bytes > all.length) return undefined;
  if (dictionaryBytes > 0) throw new Error('It names a dictionary, and there is none.');
  const sizeAt = at + magicBytes + 1 + windowBytes;
  if ((isSingle ? contentSize(all, sizeAt, sizeBytes) : windowSize(all[sizeAt - 1] ?? 0)) > maxWindowBytes) {
    throw new Error('Its window is too large.');
  }
  return { bytes, hasChecksum: (descriptor & 4) !== 0 };
}

const leastWindowExponent = 10;

function windowSize(descriptor: number): number {
  const base = 2 ** (leastWindowExponent + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function contentSize(all: Buffer, at: number, sizeBytes: number): number {
  if (sizeBytes === 8) return Number(all.readBigUInt64LE(at));
  return all.readUIntLE(at, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
}

interface Block {
  /** Behind it, and behind the checksum of a frame that it ends. */
  readonly end: number;
  readonly isLast: boolean;
}

/** @returns undefined for a truncated one. @throws for a damaged one. */
function readBlock(all: Buffer, at: number, hasChecksum: boolean): Block | undefined {
  if (at + blockHeaderBytes > all.length) return undefined;
  const bits = all.readUIntLE(at, blockHeaderBytes);
  const isLast = (bits & 1) === 1;
  const kind = (bits >> 1) & 3;
  if (kind === reservedBlock) throw new Error('A block of it is damaged.');
  const content = kind === runBlock ? 1 : bits >> 3;
  const end = at + blockHeaderBytes + content + (isLast && hasChecksum ? checksumBytes : 0);
  return end > all.length ? undefined : { end, isLast };
}
