import { expect, test } from 'vitest';
import { jsonParts, RawJson } from './raw.ts';

const value = { a: 1, body: new RawJson('{"z":[1,2.50]}'), list: [new RawJson('"text"'), null], last: 'marker' };

test('JSON that is there already stands in the value as it is, in its place', () => {
  expect(jsonParts(value, 'fresh').join('')).toBe('{"a":1,"body":{"z":[1,2.50]},"list":["text",null],"last":"marker"}');
  expect(jsonParts({ a: 1 }, 'fresh')).toEqual(['{"a":1}']);
});

test('written by anybody else it is the same value', () => {
  expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(jsonParts(value, 'fresh').join('')));
});

test('a value that cannot be written leaves nothing behind', () => {
  const failing = {
    body: new RawJson('1'),
    toJSON: () => {
      throw new Error('not today');
    },
  };
  expect(() => jsonParts(failing, 'fresh')).toThrow('not today');
  expect(JSON.stringify(new RawJson('[1]'))).toBe('[1]');
});
