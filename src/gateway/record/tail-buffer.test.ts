import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ResponseTail, TailBuffer } from './tail-buffer.ts';

it('keeps the last 64 KiB of a body, in whatever pieces it comes (seed 11)', () => {
  const size = fc.oneof({ weight: 5, arbitrary: fc.nat(100) }, { weight: 1, arbitrary: fc.nat(200_000) });
  fc.assert(
    fc.property(fc.array(size, { maxLength: 600 }), (sizes) => {
      const tail = new TailBuffer();
      let all = Buffer.alloc(0);
      let passed = 0;
      for (const [index, length] of sizes.entries()) {
        const piece = Buffer.alloc(length, index);
        tail.add(piece);
        passed += length;
        all = Buffer.concat([all, piece]).subarray(-65_536);
      }
      expect(tail.bytes().equals(all)).toBe(true);
      expect(tail.isComplete).toBe(passed <= 65_536);
    }),
    { seed: 11, numRuns: 40 },
  );
});

it('keeps the last events of a response whole, each of which repeats a picture of megabytes', () => {
  const tail = new ResponseTail();
  const picture = 'QUJD'.repeat(500_000);
  const event = (type: string): string => `data: ${JSON.stringify({ type, picture, usage: { output_tokens: 6000 } })}\n\n`;
  const stream = Buffer.from(['partial', 'partial', 'completed'].map(event).join(''));
  for (let at = 0; at < stream.length; at += 65_536) tail.add(stream.subarray(at, at + 65_536));
  const events = tail.bytes().toString().split('\n\n').slice(0, -1);
  expect(events.map((text) => JSON.parse(text.slice('data: '.length)) as object)).toMatchObject([
    { type: 'partial' },
    { type: 'partial' },
    { type: 'completed', usage: { output_tokens: 6000 } },
  ]);
  expect([tail.isComplete, tail.bytes().length < 8192]).toEqual([true, true]);
});
