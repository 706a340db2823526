import { parseEnv } from 'node:util';
import { array, assert, constantFrom, dictionary, oneof, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { testSeed } from '../../../test/support/test-length.ts';
import { withVariables } from './env-lines.ts';

test.each([
  ['nothing', '', 'A=1\n'],
  ['other lines, which stay with their comments', '# ours\nOPENAI_API_KEY="sk 1" # mine\n', '# ours\nOPENAI_API_KEY="sk 1" # mine\nA=1\n'],
  ['the variable, whose line is replaced', 'A=old\nB=2', 'A=1\nB=2\n'],
  ['the variable twice, of which one line stays', 'export A = x\nB=2\nA=y\n', 'A=1\nB=2\n'],
  ['lines of Windows', 'B=2\r\n', 'B=2\r\nA=1\r\n'],
])('into a file with %s', (_, before, after) => {
  expect(withVariables(before, { A: '1' })).toBe(after);
});

test.each([
  ['a space', 'a b', "A='a b'\n"],
  ['a sign of a comment', 'a#b', "A='a#b'\n"],
  ['single quotes', "it's", 'A="it\'s"\n'],
  ['single quotes and a backslash', String.raw`it's\n`, "A=`it's\\n`\n"],
])('a value with %s is quoted', (_, value, text) => {
  expect(withVariables('', { A: value })).toBe(text);
});

test('a value that no line can say is refused, and so is a file that would change elsewhere', () => {
  expect(() => withVariables('', { A: 'a\nb' })).toThrow('The value of A cannot be written into a file .env.');
  expect(() => withVariables('B="x\nA=y"\n', { A: '1' })).toThrow('without changing ');
});

const value = oneof(
  string({ maxLength: 20 }),
  string({ unit: constantFrom('a', "'", '"', '`', '\\', 'n', '#', ' ', '$', '=', '\n'), maxLength: 8 }),
);
const line = oneof(
  constantFrom('# a', '', 'A=1', 'export B=2 # c', "C='x y'", 'D="a\\nb"', 'no variable', ' E = 5 ', 'F="a', 'b"'),
  string({ maxLength: 12 }),
);

test('whatever is written is read back exactly, beside whatever was there', () => {
  let written = 0;
  const variables = dictionary(constantFrom('A', 'B', 'C', 'GATELOG_API_KEY'), value);
  assert(
    property(array(line, { maxLength: 6 }), variables, (lines, wanted) => {
      const before = lines.join('\n');
      let after: string;
      try {
        after = withVariables(before, wanted);
      } catch {
        return;
      }
      written += 1;
      expect(parseEnv(after)).toEqual({ ...parseEnv(before), ...wanted });
    }),
    { numRuns: 2000, seed: testSeed() },
  );
  expect(written).toBeGreaterThan(500);
});
