import { crc32 } from 'node:zlib';
import { crc32Small } from '../platform/crc32.ts';

/**
 * Segment header: `GLSPOOL` and a version byte, four zero bytes, and the CRC-32 of these twelve. The versions differ in what a segment
 * means for those before it, see `compact.ts`; frames are the same in both.
 * Frame header, little-endian:
 *   0  u32  CRC-32 of bytes 4–27
 *   4  u32  length of the payload
 *   8  u32  CRC-32 of the payload
 *  12  u8   kind (1–255)         13  three zero bytes, reserved
 *  16  u32  stamp
 *  20  u32  stream, low half     24  u32  stream, high half
 *
 * The header has its own checksum so that its length can be trusted: a damaged payload is skipped as a whole and never searched for frames,
 * because its bytes may look like frames.
 */
export const segmentHeaderBytes = 16;
export const frameHeaderBytes = 28;
export const maxPayloadBytes = 1024 * 1024;
export const segmentVersion = 1;
/** A segment that replaces all of its series before it. */
export const compactedSegmentVersion = 2;

const twoTo32 = 2 ** 32;
const checkedSegmentBytes = 12;
const maxKind = 255;

export function makeSegmentHeader(version: number = segmentVersion): Buffer {
  const header = Buffer.alloc(segmentHeaderBytes);
  header.write('GLSPOOL', 'latin1');
  header[7] = version;
  header.writeUInt32LE(crc32(header.subarray(0, checkedSegmentBytes)), checkedSegmentBytes);
  return header;
}

/** @returns the version of a segment; undefined without an intact segment header. */
export function readSegmentVersion(header: Buffer): number | undefined {
  if (header.toString('latin1', 0, 7) !== 'GLSPOOL') return undefined;
  return crc32(header.subarray(0, checkedSegmentBytes)) === header.readUInt32LE(checkedSegmentBytes) ? header[7] : undefined;
}

export interface FrameLabel {
  readonly kind: number;
  /** 0 to 2³²−1. */
  readonly stamp: number;
  readonly stream: number;
}

export interface FrameHeader extends FrameLabel {
  readonly length: number;
  readonly payloadChecksum: number;
}

/** Writes the header of a frame with this payload. @throws RangeError for a kind or stamp out of range. */
export function writeFrameHeader(target: Buffer, at: number, label: FrameLabel, payload: Uint8Array): void {
  if (!(label.kind >= 1 && label.kind <= maxKind)) throw new RangeError(`a frame cannot be of kind ${label.kind}`);
  target.writeUInt32LE(payload.length, at + 4);
  target.writeUInt32LE(crc32(payload), at + 8);
  target.writeUInt32LE(label.kind, at + 12);
  target.writeUInt32LE(label.stamp, at + 16);
  target.writeUInt32LE(label.stream % twoTo32, at + 20);
  target.writeUInt32LE(Math.floor(label.stream / twoTo32), at + 24);
  target.writeUInt32LE(headerChecksum(target, at), at);
}

/** Reads a frame header, all bytes of which must be in `source`. @returns undefined unless an intact one is at `at`. */
export function readFrameHeader(source: Buffer, at: number): FrameHeader | undefined {
  const length = source.readUInt32LE(at + 4);
  const kind = source.readUInt32LE(at + 12);
  if (length > maxPayloadBytes || kind === 0 || kind > maxKind) return undefined;
  if (source.readUInt32LE(at) !== headerChecksum(source, at)) return undefined;
  return {
    length,
    payloadChecksum: source.readUInt32LE(at + 8),
    kind,
    stamp: source.readUInt32LE(at + 16),
    stream: source.readUInt32LE(at + 20) + source.readUInt32LE(at + 24) * twoTo32,
  };
}

export function isPayloadIntact(payload: Uint8Array, header: FrameHeader): boolean {
  return payload.length === header.length && crc32(payload) === header.payloadChecksum;
}

function headerChecksum(source: Buffer, at: number): number {
  return crc32Small(source, at + 4, at + frameHeaderBytes);
}
