import { expect, it } from 'vitest';
import { distinctNames } from './session-names.ts';

it('sessions of one name are told apart by the end of their identifiers', () => {
  const names = {
    '0193a0c4-0000-7000-8000-0000000000a1': 'Review',
    '0193a0c4-0000-7000-8000-0000000000b2': 'Review',
    s3: 'Review',
    s4: 'Plan',
  };
  expect([...distinctNames(names).values()]).toEqual(['Review · …000000a1', 'Review · …000000b2', 'Review · s3', 'Plan']);
});
