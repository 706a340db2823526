import { describe, expect, it } from 'vitest';
import { jsonCost, jsonExcess, maxJsonCost, maxJsonDepth } from './bounds.ts';
import { parseJson } from '../text.ts';

const nested = (levels: number, inner = ''): string => '['.repeat(levels) + inner + ']'.repeat(levels);

describe('JSON', () => {
  it(`of ${maxJsonDepth} levels is read, of one more it is not, wherever they stand`, () => {
    for (const text of [nested(maxJsonDepth), `{"a":${nested(maxJsonDepth - 1)},"b":${nested(maxJsonDepth - 1)}}`]) {
      expect([jsonExcess(text), parseJson(text)]).toEqual([undefined, JSON.parse(text)]);
    }
    const tooDeep = [
      nested(maxJsonDepth + 1),
      `{"a":"]]]]","b":${nested(maxJsonDepth)}}`,
      `["${'x'.repeat(1_100_000)}",${nested(maxJsonDepth)}]`,
    ];
    for (const text of tooDeep) expect([jsonExcess(text), parseJson(text)]).toEqual(['depth', undefined]);
  });

  it('is not deep for brackets in its strings, however these are escaped, nor for many lists beside each other', () => {
    const brackets = '[{'.repeat(1000);
    const texts = [[brackets], [`\\"${brackets}\\\\`, `"${brackets}"`], Array.from({ length: 2000 }, () => [])];
    for (const value of texts.flatMap((each) => [JSON.stringify(each), JSON.stringify(each, null, 2)])) {
      expect(jsonExcess(value)).toBeUndefined();
    }
  });

  it('is not read where its values would cost too much', () => {
    const text = `[${'{},'.repeat(maxJsonCost / 5)}0]`;
    expect([jsonExcess(text), parseJson(text)]).toEqual(['cost', undefined]);
    expect(jsonExcess(`[${'{},'.repeat(maxJsonCost / 5 - 2)}0]`)).toBeUndefined();
    expect(jsonExcess(`[${'0.5,'.repeat(3_000_000)}0]`)).toBeUndefined();
  });

  it('by the line is measured as a whole, and a line that is none of it hides nothing of the next', () => {
    expect(jsonCost('{"a":1}\n[2]\n')).toBe(4 + 2 + 1 + 4 + 1);
    for (const hidden of ['"\n', '"\\\n', '"\\"\r', '"a\\\\\r\n']) {
      expect(jsonExcess(hidden + nested(maxJsonDepth + 1))).toBe('depth');
    }
  });

  it('is measured in a time that grows with its length alone, whatever it is', () => {
    const hostile = ['"', '\\"', '"\n', '"\\\n', '\\"\n', '[', ']', '\\', '"\\"\n\\"'];
    for (const piece of hostile) expect(jsonCost(piece.repeat(8_000_000 / piece.length))).toBeLessThanOrEqual(maxJsonCost + 4);
  });
});
