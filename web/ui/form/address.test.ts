import { expect, it } from 'vitest';
import { addressFault } from './address.ts';

it.each([
  ['', undefined],
  ['https://example.com/events', undefined],
  [' http://localhost:9000/hook ', undefined],
  ['example.com/events', 'Write a whole address, such as https://example.com/events.'],
  ['ops', 'Write a whole address, such as https://example.com/events.'],
  ['ftp://example.com', 'The address begins with https://.'],
])('%j: %s', (text, fault) => {
  expect(addressFault(text)).toBe(fault);
});
