import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCompactJson } from './compact-json.ts';

const seed = 4711;

describe('JSON is compact', () => {
  it.each([
    '{}',
    '[]',
    '0',
    '"a b"',
    '{"a":[1,2.5,true,null,"x y"]}',
    String.raw`{"a":"say \"hi\"\n\\"}`,
    String.raw`"\\"`,
    '{"größe":"ä 😀"}',
  ])('%s', (json) => {
    expect(isCompactJson(json)).toBe(true);
  });

  it.each(['{ }', ' 1', '1\n', '{"a": 1}', '{"a":1, "b":2}', '[\n1]', '"a" ', String.raw`"\\" `, String.raw`{"a":"\"", "b":1}`])(
    '%j has white space between its values',
    (json) => {
      expect(isCompactJson(json)).toBe(false);
    },
  );

  it.each([String.raw`"\u0041"`, String.raw`"https:\/\/a"`])('%s escapes what need not be', (json) => {
    expect(isCompactJson(json)).toBe(false);
  });

  it('where it would be written as it is: any value, written with and without white space', () => {
    assert(
      property(jsonValue({ stringUnit: 'binary' }), (value) => {
        const written = JSON.stringify(value);
        expect(isCompactJson(written)).toBe(!written.includes(String.raw`\u`));
        const spread = JSON.stringify(value, undefined, 1);
        expect(isCompactJson(spread)).toBe(spread === written && isCompactJson(written));
      }),
      { seed },
    );
  });

  it('is not said of what nests too deeply to be written', () => {
    expect(isCompactJson('['.repeat(100_000) + ']'.repeat(100_000))).toBe(false);
    expect(isCompactJson(`[${'[],'.repeat(1000)}[]]`)).toBe(true);
  });
});
