import { constantFrom, dictionary, jsonValue, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { jsonMembers } from './members.ts';
import { assert } from '../../../test/support/seeded.ts';

test('the text of each member is as it stands there', () => {
  const json =
    ' { "a" : 1.0 , "b\\"{" : {"x":[1,{"y":"}]\\\\"}],"z":"\\""} ,\n"c":12345678901234567890,"d":"\\u00e9 \\\\","e":[],"f":null}';
  expect([...jsonMembers(json)]).toEqual([
    ['a', '1.0'],
    ['b"{', '{"x":[1,{"y":"}]\\\\"}],"z":"\\""}'],
    ['c', '12345678901234567890'],
    ['d', '"\\u00e9 \\\\"'],
    ['e', '[]'],
    ['f', 'null'],
  ]);
  expect([...jsonMembers('{ }')]).toEqual([]);
});

test('parsed one by one, they are the parsed object', () => {
  assert(
    property(dictionary(string({ unit: 'binary' }), jsonValue()), constantFrom(undefined, 1, '\t'), (object, indent) => {
      const json = JSON.stringify(object, undefined, indent);
      const parsed = [...jsonMembers(json)].map(([name, text]) => [name, JSON.parse(text) as unknown]);
      expect(parsed).toEqual(Object.entries(JSON.parse(json) as object));
    }),
  );
});

test.each(['', '[]', '{', '{"a"', '{"a":', '{"a":"', '{"a":{', '{"a":1', '{"a" 1}', '{a:1}'])('refuses %j', (json) => {
  expect(() => jsonMembers(json)).toThrow(SyntaxError);
});
