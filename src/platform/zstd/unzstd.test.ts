import { Zstd } from '@hpcc-js/wasm-zstd';
import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { unzstd, unzstdSteps } from './unzstd.ts';

let zstd: Zstd;
beforeAll(async () => {
  zstd = await Zstd.load();
});

const maxBytes = 1024 * 1024;
const packed = (text: string | Buffer, level = 3): Buffer => Buffer.from(zstd.compress(Buffer.from(text), level));
/** As a client streams it: a frame whose header tells no size. */
function streamed(text: string): Buffer {
  const bytes = Buffer.from(text);
  const half = bytes.length >> 1;
  zstd.reset();
  const parts = [zstd.compressChunk(bytes.subarray(0, half)), zstd.compressChunk(bytes.subarray(half)), zstd.compressEnd()];
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}
function isWhole(bytes: Buffer): boolean {
  const steps = unzstdSteps(bytes, maxBytes);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Bytes that something decodes to; 0 for what cannot be decoded. */
function lengthOf(bytes: Buffer): number {
  try {
    return unzstd(bytes, maxBytes).length;
  } catch {
    return 0;
  }
}

const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
/** A frame of one block that is a run of a byte. @param windowDescriptor of the frame. */
const run = (length: number, windowDescriptor = 0x58): Buffer => {
  const head = (length << 3) | 2 | 1;
  return Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, windowDescriptor, head & 255, (head >> 8) & 255, head >> 16, 0x61]);
};

describe('zstd', () => {
  it('is decoded at any level, in one frame or several, with its size or without (seed 9)', () => {
    const text = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(3000)).map(([unit, count]) => unit.repeat(count));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.constantFrom(1, 3, 12), fc.boolean()), { minLength: 1, maxLength: 3 }), (frames) => {
        const bytes = frames.flatMap(([each, level, isStreamed]) => [isStreamed ? streamed(each) : packed(each, level), skipped]);
        expect(unzstd(Buffer.concat(bytes), maxBytes).toString()).toBe(frames.map(([each]) => each).join(''));
      }),
      { seed: 9, numRuns: 60 },
    );
  });

  it('that is cut off is decoded as far as its blocks go, and never throws', () => {
    const text = JSON.stringify(Array.from({ length: 40_000 }, (_, index) => ({ index, text: `word ${(index * 7919) % 10_007}` })));
    const bytes = packed(text);
    expect(bytes.length).toBeGreaterThan(60_000);
    for (let length = 0; length < bytes.length; length += 997) {
      const decoded = unzstd(bytes.subarray(0, length), 4 * maxBytes).toString();
      expect(text.startsWith(decoded)).toBe(true);
      expect(decoded.length > 0 || length < 150_000).toBe(true);
    }
  });

  it('that was made with a larger window than may be decoded is decoded all the same, back to its first byte', () => {
    const text = randomBytes(150_000).toString('hex');
    const bytes = Buffer.from(streamed(text + text));
    // A window of 8 MiB.
    bytes[5] = 0x68;
    expect(unzstd(bytes, 2 * text.length).equals(Buffer.from(text + text))).toBe(true);
  });

  it('is decoded up to a number of blocks, in one frame or several', () => {
    const bytes = Buffer.concat([run(1), packed('b'), run(1)]);
    expect([0, 1, 2, 3].map((blocks) => unzstd(bytes, maxBytes, blocks).toString())).toEqual(['', 'a', 'ab', 'aba']);
  });

  it('says whether it is whole', () => {
    const bytes = Buffer.concat([packed('a'), skipped, streamed('b')]);
    expect([bytes, bytes.subarray(0, -1), bytes.subarray(0, 3), Buffer.alloc(0)].map(isWhole)).toEqual([true, false, false, true]);
  });

  it.each([
    ['more than it may be', () => Buffer.concat(Array.from({ length: 20 }, () => run(100_000)))],
    ['a window of 16 MiB', () => run(5, 0x70)],
    ['a window of a terabyte', () => run(5, 0xf0)],
    ['what is not zstd', () => Buffer.from('{"a":1}')],
    ['three bytes that are not zstd', () => Buffer.from([1, 2, 3])],
    ['what is not zstd behind a frame', () => Buffer.concat([packed('a'), Buffer.from('{"a":1}')])],
    ['a dictionary', () => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 0x58, 7, 0, 0, 0])],
    ['a damaged block', () => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 7, 0, 0])],
  ])('of %s is not decoded', (_what, bytes) => {
    expect(() => unzstd(bytes(), maxBytes)).toThrow(Error);
  });

  it('never hangs or takes more than it may, whatever the bytes are (seed 10)', () => {
    const whole = packed('The harbour opens at six. '.repeat(200));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }), (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, byte] of changes) bytes[at] = byte;
        expect(lengthOf(bytes)).toBeLessThanOrEqual(maxBytes);
      }),
      { seed: 10, numRuns: 1000 },
    );
  });
});
