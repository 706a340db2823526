import { expect, it } from 'vitest';
import { ruleFaults } from './rule-faults.ts';

it.each([
  ['the longest texts', 'x'.repeat(1000), 'x'.repeat(128), {}],
  ['a longer pattern', 'x'.repeat(1001), '', { pattern: 'Write at most 1,000 characters.' }],
  ['a space behind the longest pattern', `${'x'.repeat(1000)} `, '', { pattern: 'Write at most 1,000 characters.' }],
  ['a longer replacement', 'x', 'x'.repeat(129), { replacement: 'Write at most 128 characters.' }],
])('what is wrong with a redaction rule: %s', (_title, pattern, replacement, faults) => {
  const found = Object.entries(ruleFaults(pattern, replacement));
  expect(Object.fromEntries(found.filter(([, fault]) => fault !== undefined))).toEqual(faults);
});
