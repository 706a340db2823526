import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../model/text.ts';
import { MembersOfBody } from './replaced-members.ts';
import { assert } from '../../../test/support/seeded.ts';

const name = fc.oneof(fc.constantFrom('model', 'a"b', '\u00e4', '', '__proto__', 'user\\'), fc.string());
const object = fc.array(fc.tuple(name, fc.jsonValue())).map((members) => JSON.parse(written(members)) as JsonObject);

/** With names that come twice, as they came. */
function written(members: readonly (readonly [string, unknown])[]): string {
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(' , ')}}`;
}

test('a body with replaced members reads as the one with those written over it, and its size is known beforehand', () => {
  assert(
    fc.property(fc.array(fc.tuple(name, fc.jsonValue())), object, (members, override) => {
      const body = Buffer.from(`\ufeff ${written(members)}\n`);
      const replaced = MembersOfBody.of(body)?.replace(override);
      const made = replaced?.make();
      expect(JSON.parse(made?.toString().slice(1) ?? '')).toEqual({ ...(JSON.parse(body.toString().slice(1)) as object), ...override });
      expect(made?.length).toBe(replaced?.bytes);
    }),
  );
});

test('what is not replaced stays byte for byte', () => {
  const body = Buffer.from('{ "n": 12345678901234567890, "mod\\u0065l":"a" , "x": [ 1.0 ] }');
  expect(MembersOfBody.of(body)?.replace({ model: 'b', top_p: 1 }).make().toString()).toBe(
    '{ "n": 12345678901234567890, "mod\\u0065l":"b" , "x": [ 1.0 ] ,"top_p":1}',
  );
});

test.each(['[1]', '"a"', '', '{"a":1', '{"a":1} x', '\u001f\u008b'])('%s has no members to replace', (body) => {
  expect(MembersOfBody.of(Buffer.from(body))).toBeUndefined();
});
