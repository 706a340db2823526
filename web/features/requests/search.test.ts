import { expect, it } from 'vitest';
import { requestsSearchOf } from './search.ts';

it.each([
  ['slowest', 'slowest'],
  ['costliest', 'costliest'],
  ['dearest', 'costliest'],
  ['prettiest', undefined],
])('the order %s of an address is %s', (sort, read) => {
  expect(requestsSearchOf({ sort }).sort).toBe(read);
});
