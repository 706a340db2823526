import { crc32 } from 'node:zlib';

/**
 * Segment header: `GLSPOOL` and a version byte, then eight zero bytes.
 * Frame header, little-endian:
 *   0  u32  length of the payload
 *   4  u32  CRC-32 over bytes 8–23 and the payload
 *   8  u8   kind (1–255)      9  three zero bytes, reserved
 *  12  u32  stamp
 *  16  u32  stream, low half  20  u32  stream, high half
 */
export const segmentHeaderBytes = 16;
export const frameHeaderBytes = 24;
/** No frame is longer: a reader that finds a larger length knows that it is looking at damage. */
export const largestPayloadBytes = 1024 * 1024;

const formatVersion = 1;
const twoTo32 = 2 ** 32;

export function makeSegmentHeader(): Buffer {
  const header = Buffer.alloc(segmentHeaderBytes);
  header.write('GLSPOOL', 'latin1');
  header[7] = formatVersion;
  return header;
}

/** @returns the version of a segment, undefined when this is no segment header. */
export function readSegmentVersion(header: Buffer): number | undefined {
  return header.length >= segmentHeaderBytes && header.toString('latin1', 0, 7) === 'GLSPOOL' ? header[7] : undefined;
}

export interface FrameHead {
  readonly length: number;
  readonly checksum: number;
  readonly kind: number;
  readonly stamp: number;
  readonly stream: number;
}

/** Writes the header of a frame whose payload is not in the same buffer or stands right behind it. */
export function writeFrameHead(target: Buffer, at: number, head: Omit<FrameHead, 'checksum'>): void {
  target.writeUInt32LE(head.length, at);
  target.writeUInt32LE(head.kind, at + 8);
  target.writeUInt32LE(head.stamp, at + 12);
  target.writeUInt32LE(head.stream % twoTo32, at + 16);
  target.writeUInt32LE(Math.floor(head.stream / twoTo32), at + 20);
}

/** Computes and writes the checksum of a frame whose header is at `at` and whose payload is given, or stands right behind the header. */
export function sealFrame(target: Buffer, at: number, payload: Uint8Array | number): void {
  const checksum =
    typeof payload === 'number'
      ? crc32(target.subarray(at + 8, at + frameHeaderBytes + payload))
      : crc32(payload, crc32(target.subarray(at + 8, at + frameHeaderBytes)));
  target.writeUInt32LE(checksum, at + 4);
}

/** Reads a frame header. @returns undefined when it cannot be one. */
export function readFrameHead(source: Buffer, at: number): FrameHead | undefined {
  const length = source.readUInt32LE(at);
  const kind = source.readUInt32LE(at + 8);
  if (length > largestPayloadBytes || kind === 0 || kind > 255) return undefined;
  return {
    length,
    checksum: source.readUInt32LE(at + 4),
    kind,
    stamp: source.readUInt32LE(at + 12),
    stream: source.readUInt32LE(at + 16) + source.readUInt32LE(at + 20) * twoTo32,
  };
}

/** True when the frame at `at`, which lies wholly in `source`, is as it was written. */
export function isFrameIntact(source: Buffer, at: number, head: FrameHead): boolean {
  return crc32(source.subarray(at + 8, at + frameHeaderBytes + head.length)) === head.checksum;
}
