import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { TailBuffer } from './tail-buffer.ts';

it('keeps the last 64 KiB of a body, in whatever pieces it comes (seed 11)', () => {
  const size = fc.oneof({ weight: 5, arbitrary: fc.nat(100) }, { weight: 1, arbitrary: fc.nat(200_000) });
  fc.assert(
    fc.property(fc.array(size, { maxLength: 600 }), (sizes) => {
      const tail = new TailBuffer();
      let all = Buffer.alloc(0);
      for (const [index, length] of sizes.entries()) {
        const piece = Buffer.alloc(length, index);
        tail.add(piece);
        all = Buffer.concat([all, piece]).subarray(-65_536);
      }
      expect(tail.bytes().equals(all)).toBe(true);
    }),
    { seed: 11, numRuns: 40 },
  );
});
