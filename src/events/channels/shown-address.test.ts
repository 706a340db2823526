import { expect, it } from 'vitest';
import { withoutSecretPath } from './stored-channels.ts';

it.each([
  ['https://example.com/alerts', 'https://example.com/alerts'],
  ['https://example.com:8443/hooks/v1/on-call', 'https://example.com:8443/…/on-call'],
  ['https://example.com/team/alerts/', 'https://example.com/…/alerts'],
])('an address of words shows its last part: %s', (address, shown) => {
  expect(withoutSecretPath(address)).toBe(shown);
});

it.each([
  'https://example.com/',
  'https://example.com/alerts?token=abc',
  'https://example.com/alerts#abc',
  'https://user:secret@example.com/alerts',
  'https://example.com/hooks/catch/123456/abcdef/',
  'https://example.com/5f2b8c',
  'https://example.com/hooks/qhzkwmvbtrplxcnd',
  'https://example.com/trigger/alert/with/key/AbCdEf',
  'https://example.com/hooks/AbCdEf',
  'https://example.com/a/b/c/d/e',
  'https://example.com/%61lerts',
])('an address that may hold a token shows nothing of its path: %s', (address) => {
  expect(withoutSecretPath(address)).toMatch(/^https:\/\/example\.com\/…$/);
});
