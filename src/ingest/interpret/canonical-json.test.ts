import { array, assert, constant, constantFrom, jsonValue, letrec, oneof, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeExactly } from '../../model/json/exact-numbers.ts';
import { parseExactly } from '../../model/text.ts';
import { isCanonicalJson } from './canonical-json.ts';

const seed = 4711;

/** JSON as people and programs write it: with and without white space, any form of a number, names twice and in any order. */
const { value: anyJson } = letrec<{ value: string; member: string; list: string; object: string }>((tie) => {
  const blank = constantFrom('', '', '', ' ', '\n');
  const number = constantFrom(
    '0',
    '-0',
    '1',
    '1.0',
    '10',
    '1e3',
    '1E3',
    '0.1',
    '-1.50',
    '1e400',
    '12345678901234567890',
    '0.30000000000000004',
  );
  const text = oneof(
    string({ maxLength: 4 }).map((value) => JSON.stringify(value)),
    constantFrom(String.raw`"\u0041"`, String.raw`"\/"`, String.raw`"\\\""`, '"ä"', '":"', '"{"'),
  );
  const name = constantFrom('"a"', '"b"', '"ab"', '"1"', '"10"', '"__proto__"', '""', String.raw`"\u0061"`, String.raw`"\n"`);
  return {
    value: oneof({ depthSize: 'small' }, number, text, constantFrom('true', 'false', 'null'), tie('list'), tie('object')),
    member: tuple(name, blank, blank, tie('value')).map(([key, before, after, value]) => `${key}${before}:${after}${value}`),
    list: tuple(array(tie('value'), { maxLength: 3 }), blank).map(([values, gap]) => `[${values.join(`,${gap}`)}]`),
    object: tuple(array(tie('member'), { maxLength: 4 }), blank).map(([members, gap]) => `{${members.join(`,${gap}`)}${gap}}`),
  };
});

describe('JSON is as it would be written', () => {
  it('only where it is exactly that', () => {
    let found = 0;
    assert(
      property(anyJson, (json) => {
        if (!isCanonicalJson(json)) return;
        found += 1;
        expect(writeExactly(parseExactly(json, 'digits'))).toBe(json);
      }),
      { seed, numRuns: 5000 },
    );
    expect(found).toBeGreaterThan(500);
  });

  it('where any value was written, but for what is escaped by its number, and names that begin with a digit', () => {
    assert(
      property(oneof(jsonValue({ stringUnit: 'binary' }), constant({ a: { b: 1 }, c: { b: 2 } })), (value) => {
        const json = JSON.stringify(value);
        expect(isCanonicalJson(json)).toBe(!json.includes(String.raw`\u`) && !/"\d(?:[^"\\]|\\.)*":/.test(json));
      }),
      { seed, numRuns: 2000 },
    );
  });

  it.each([
    '{"a":[1,2.5,true,null,"x y"],"b":{"a":{"a":1}}}',
    '{"a":1.0,"b":1E+3}',
    '12345678901234567890',
    '-0',
    String.raw`{"a":"say \"hi\"\n\\"}`,
    String.raw`"\\"`,
    '{"größe":"ä 😀"}',
  ])('%s', (json) => {
    expect(isCanonicalJson(json)).toBe(true);
  });

  it.each(['{"a":1,"a":2}', '{"2":0,"1":0}', '{"a": 1}', '[1\n]', '[1.0 ]', String.raw`"https:\/\/a"`])('%j is not', (json) => {
    expect(isCanonicalJson(json)).toBe(false);
  });

  it('however deep it nests', () => {
    expect(isCanonicalJson('['.repeat(100_000) + ']'.repeat(100_000))).toBe(true);
    expect(isCanonicalJson(`[${'[],'.repeat(1000)}[]]`)).toBe(true);
  });
});
