import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../text.ts';
import { LongRuns, withoutLongRuns } from './long-runs.ts';

/** A text of some KiB of what strings in JSON are made of. */
const longText = fc
  .tuple(fc.constantFrom('QUJD', '\\', '\n', '"', 'é🌅', '\u0001', 'a\\"b', ' words, '), fc.nat(3000), fc.string({ maxLength: 5 }))
  .map(([unit, count, rest]) => unit.repeat(count) + rest);
const value = fc.record({
  type: fc.constantFrom('a', 'b'),
  big: longText,
  usage: fc.record({ input: fc.nat(), output: fc.nat() }),
  last: longText,
});
/** As Python's `json.dumps` writes it. */
const ascii = (json: string): string =>
  json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.codePointAt(0)?.toString(16).padStart(4, '0') ?? ''}`);

/** The bytes in pieces that end at the given places. */
function pieces(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((one, other) => one - other), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

describe('JSON without its long runs', () => {
  it('has the same members, all its short values, and few bytes, in whatever pieces it comes (seed 3)', () => {
    fc.assert(
      fc.property(value, fc.boolean(), fc.array(fc.nat(), { maxLength: 20 }), (object, isAscii, cuts) => {
        const json = JSON.stringify(object);
        const bytes = Buffer.from(isAscii ? ascii(json) : json);
        const runs = new LongRuns();
        const short = Buffer.concat([...pieces(bytes, cuts).flatMap((piece) => [...runs.push(piece)]), ...runs.end()]);
        const parsed: unknown = JSON.parse(short.toString());
        expect(isJsonObject(parsed) ? Object.keys(parsed) : []).toEqual(Object.keys(object));
        expect(parsed).toMatchObject({ type: object.type, usage: object.usage });
        expect(runs.hasShortened).toBe(short.length < bytes.length);
      }),
      { seed: 3, numRuns: 500 },
    );
  });

  it('of a picture has a kilobyte of it', () => {
    const json = JSON.stringify({ picture: 'QUJD'.repeat(500_000), usage: { input: 1 } });
    const short = withoutLongRuns(Buffer.from(json));
    expect(short.length).toBeLessThan(2048);
    expect(JSON.parse(short.toString())).toMatchObject({ usage: { input: 1 } });
  });

  it('stays as it is where no run is long, and where each has its own line', () => {
    const lines = Buffer.from(
      `${'a'.repeat(2000)}\n`.repeat(100) + JSON.stringify(Array.from({ length: 5000 }, (_, index) => `text ${index}`)),
    );
    expect(withoutLongRuns(lines).equals(lines)).toBe(true);
  });

  it('keeps a few KiB, whatever comes', () => {
    const runs = new LongRuns();
    for (let index = 0; index < 100; index += 1) runs.push(Buffer.alloc(64 * 1024, index % 2 === 0 ? 'A' : '\\'));
    expect(Buffer.concat([...runs.end()]).length).toBeLessThan(4096);
  });
});
