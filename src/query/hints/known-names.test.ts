import { expect, test } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { KnownNames } from './known-names.ts';

const ours = '01a200e0-5378-768f-9422-4c0080066b6a' as OrganizationId;
const others = '01a200e0-5378-768f-9422-4c0080066b6b' as OrganizationId;

test('a name is known of the organisation that has it, in the case that it has', () => {
  const known = new KnownNames();
  known.add(ours, 'Environment');
  expect([known.has(ours, 'Environment'), known.has(ours, 'environment'), known.has(others, 'Environment')]).toEqual([true, false, false]);
});

test('of more names than are kept, the first are forgotten', () => {
  const known = new KnownNames();
  for (let index = 0; index <= 10_000; index += 1) known.add(ours, `Name ${index}`);
  expect([known.has(ours, 'Name 0'), known.has(ours, 'Name 1'), known.has(ours, 'Name 10000')]).toEqual([false, true, true]);
});
