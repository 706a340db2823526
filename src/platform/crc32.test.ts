import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { crc32OfAscii, crc32Small } from './crc32.ts';
import { assert } from '../../test/support/seeded.ts';

it("is zlib's, for any bytes, any part of them and any beginning", () => {
  assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 80 }),
      fc.nat(80),
      fc.nat(80),
      fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      (bytes, one, other, initial) => {
        const start = Math.min(one, other, bytes.length - 1);
        const end = Math.max(start + 1, Math.min(Math.max(one, other), bytes.length));
        expect(crc32Small(bytes, start, end, initial)).toBe(crc32(bytes.subarray(start, end), initial));
      },
    ),
  );
});

it("is zlib's, for any text of ASCII characters", () => {
  assert(
    fc.property(fc.string({ unit: 'binary-ascii', minLength: 1 }), (text) => {
      expect(crc32OfAscii(text)).toBe(crc32(Buffer.from(text)));
    }),
  );
});
