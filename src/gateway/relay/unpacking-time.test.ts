import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ReplyBeginning } from './reply-beginning.ts';
import { UnpackingTime } from './unpacking-time.ts';

const content = 'data: {"choices":[{"index":0,"delta":{"content":"H"}}]}\n\n';
const packed = gzipSync(content);

/** A clock that stands still. */
function timeAt(): { readonly time: UnpackingTime; readonly pass: (ms: number) => void } {
  let now = 0;
  return { time: new UnpackingTime(() => now), pass: (ms) => (now += ms) };
}

describe('time for unpacking the beginnings of replies', () => {
  it('rests for fifty times as long as a dear one took, for its organisation alone', () => {
    const { time, pass } = timeAt();
    time.of('a').took(3);
    expect(time.of('a').isGiven()).toBe(true);
    time.of('a').took(20);
    expect([time.of('a').isGiven(), time.of('b').isGiven()]).toEqual([false, true]);
    pass(999);
    expect(time.of('a').isGiven()).toBe(false);
    pass(1);
    expect(time.of('a').isGiven()).toBe(true);
  });

  it('is remembered of a thousand organisations at most', () => {
    const { time } = timeAt();
    for (let owner = 0; owner <= 1000; owner += 1) time.of(String(owner)).took(10);
    expect([time.of('0').isGiven(), time.of('1').isGiven(), time.of('1000').isGiven()]).toEqual([true, false, false]);
  });

  it('without it a packed reply is passed on at once by who looks for errors, and has no first content until there is time again', () => {
    const { time, pass } = timeAt();
    const unpacking = time.of('a');
    unpacking.took(20);
    const beginning = new ReplyBeginning('gzip', { unpacking });
    expect(new ReplyBeginning('gzip', { errors: true, unpacking }).see(packed)).toBe('content');
    expect(beginning.see(packed.subarray(0, 30))).toBe('nothing');
    pass(1000);
    expect(beginning.see(packed.subarray(30))).toBe('content');
    expect(new ReplyBeginning('', { unpacking }).see(Buffer.from(content))).toBe('content');
  });

  it('is spent by a short reply that unpacks to much at once', () => {
    const { time } = timeAt();
    const unpacking = time.of('a');
    const overlong = brotliCompressSync(Buffer.alloc(32 * 1024 * 1024), { params: {} });
    expect(overlong.length).toBeLessThan(1000);
    expect(new ReplyBeginning('br', { unpacking }).see(overlong)).toBe('nothing');
    expect(unpacking.isGiven()).toBe(false);
  });
});
