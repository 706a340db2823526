import * as fc from 'fast-check';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { frameHeaderBytes, isPayloadIntact, makeSegmentHeader, readFrameHeader, readSegmentVersion, writeFrameHeader } from './frame.ts';
import { assert } from '../../test/support/seeded.ts';

const label = { kind: 5, stamp: 2 ** 32 - 1, stream: 2 ** 40 + 7 };

function frameOf(payload: Uint8Array): Buffer {
  const frame = Buffer.concat([Buffer.alloc(frameHeaderBytes, 0xff), payload]);
  writeFrameHeader(frame, 0, label, payload);
  return frame;
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

test('every label a frame can have comes back, numbers over 2^32 too', () => {
  const labels = fc.record({
    kind: fc.integer({ min: 1, max: 255 }),
    stamp: fc.nat({ max: 2 ** 32 - 1 }),
    stream: fc.maxSafeNat(),
  });
  assert(
    fc.property(labels, fc.uint8Array(), (each, payload) => {
      const target = Buffer.alloc(frameHeaderBytes + 3);
      writeFrameHeader(target, 3, each, payload);
      const head = readFrameHeader(target, 3);
      expect(head).toEqual({ ...each, length: payload.length, payloadChecksum: crc32(payload) });
      expect(head !== undefined && isPayloadIntact(payload, head)).toBe(true);
    }),
  );
});

test('the header checksum is the CRC-32 of zlib', () => {
  const frame = frameOf(Buffer.from('x'));
  expect(frame.readUInt32LE(0)).toBe(crc32(frame.subarray(4, frameHeaderBytes)));
});

test('no single or double bit flip in a header is believed', () => {
  const frame = frameOf(Buffer.from('payload'));
  const bits = Array.from({ length: frameHeaderBytes * 8 }, (_, bit) => bit);
  const singles = bits.map((bit) => flipped(frame, bit));
  expect(singles.every((damaged) => readFrameHeader(damaged, 0) === undefined)).toBe(true);
  const doubles = bits.flatMap((first) => singles.slice(first + 1).map((damaged) => flipped(damaged, first)));
  expect(doubles.every((damaged) => readFrameHeader(damaged, 0) === undefined)).toBe(true);
});

test('a kind or a stamp that no reader would take is refused', () => {
  const target = Buffer.alloc(frameHeaderBytes);
  for (const kind of [0, 256, -1, Number.NaN]) {
    expect(() => writeFrameHeader(target, 0, { ...label, kind }, Buffer.of())).toThrow(RangeError);
  }
  for (const stamp of [-1, 2 ** 32]) expect(() => writeFrameHeader(target, 0, { ...label, stamp }, Buffer.of())).toThrow(RangeError);
});

test('a segment header is only one when every bit of it is right', () => {
  const header = makeSegmentHeader();
  expect(readSegmentVersion(header)).toBe(1);
  for (let bit = 0; bit < header.length * 8; bit += 1) expect(readSegmentVersion(flipped(header, bit))).toBeUndefined();
});
