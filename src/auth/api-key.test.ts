import { describe, expect, test } from 'vitest';
import { displayPrefix, generateKey, hashKey, holdsOurKey, looksLikeOurKey, validateCustomKey, regionOf } from './api-key.ts';
import { explainRejection } from './rejection.ts';

describe('a generated key', () => {
  test('names its region and holds more than 160 bits', () => {
    const keys = Array.from({ length: 500 }, () => generateKey('eu-west'));
    expect(new Set(keys).size).toBe(500);
    for (const key of keys) {
      expect(key).toMatch(/^sk-svc-eu-west-[0-9A-Za-z]{32}$/);
      expect(regionOf(key)).toBe('eu-west');
      expect(validateCustomKey(key, 'eu-west')).toBeUndefined();
    }
    expect(32 * Math.log2(new Set(keys.join('').replaceAll('sk-svc-eu-west-', '')).size)).toBeGreaterThan(160);
  });

  test('is shown by its region and four characters', () => {
    const key = generateKey('us');
    expect(displayPrefix(key, 'us')).toBe(key.slice(0, 14));
    expect(displayPrefix('sk-svc-us-my-own-test-key', 'us')).toBe('sk-svc-us-my-');
    expect(displayPrefix('sk-helicone-abcdefg-hijklmn', 'us')).toBe('sk-helicone-abc');
  });

  test('is hashed with SHA-256', () => {
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

test.each([
  ['sk-svc-us-abc', true],
  ['sk-svc-', true],
  ['sk-helicone-abcdefg-hijklmn', true],
  ['pk-helicone-abcdefg', true],
  ['sk-svcacct-abc', false],
  ['sk-proj-abc', false],
  ['Sk-svc-us-abc', false],
  ['', false],
])('%s looks like our key: %s', (text, ours) => {
  expect(looksLikeOurKey(text)).toBe(ours);
});

test.each([
  ['sk-svc-us-0123456', 'accepted'],
  ['sk-svc-us-with-hyphens-0123', 'accepted'],
  ['sk-helicone-abcdefg-hijklmn', 'accepted'],
  ['secret-of-mine-0123456789', 'A key starts with'],
  ['sk-svc-eu-0123456789', 'names another region'],
  ['sk-svc-us-012 3456789', 'letters, digits'],
  ['sk-svc-us-01', '16 to 256 characters'],
])('the chosen key %s is judged: %s', (key, verdict) => {
  expect(validateCustomKey(key, 'us') ?? 'accepted').toContain(verdict);
});

const coded = (text: string): string => text.replaceAll(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

describe('a key within a text', () => {
  test.each([
    'a=sk-svc-us-abc',
    'é%C3%A9sk-svc-us-abc',
    '%sk-svc-us-abc',
    `%7%zz%%${coded('sk-svc-')}us-abc`,
    `/v1/%20${coded('pk-helicone-').toUpperCase()}x`,
    'sk%2dsvc%2Dus-abc',
    `😀${coded('s')}k-svc-us-abc%`,
  ])('is found, plain or percent-encoded: %s', (text) => {
    expect(holdsOurKey(text)).toBe(true);
  });

  test.each(['task-svc-1', 'a%73k-svc-1', 'sk%2', 'sk%2gsvc-us', 'sk%252dsvc-us-abc', 'ſk-svc-us-abc%20', '%41'.repeat(200_000)])(
    'is not found where there is none',
    (text) => {
      expect(holdsOurKey(text)).toBe(false);
    },
  );
});

describe('a rejected key is explained', () => {
  const known = { region: 'us', regions: { eu: 'https://eu.example.com', 'us-east': 'https://use.example.com' }, personKeyDays: 90 };
  test.each([
    [undefined, 'missing_key', 'Authorization: Bearer sk-svc-us-…'],
    ['', 'missing_key', 'No Gatelog key was sent'],
    ['sk-proj-01234567890', 'invalid_key', 'is not a Gatelog key'],
    ['sk-svc-us-01234567890', 'invalid_key', 'unknown or revoked'],
    ['sk-helicone-0123456-7890', 'invalid_key', 'unknown or revoked'],
    ['sk-svc-eu-01234567890', 'wrong_region', 'belongs to the region eu and this is us; use https://eu.example.com instead'],
    ['sk-svc-ap-01234567890', 'wrong_region', 'use the address of ap'],
    ['sk-svc-us-east-01234567890', 'wrong_region', 'https://use.example.com'],
    ['sk-svc-us-chosen-01234567890', 'invalid_key', 'unknown or revoked'],
    ['sk-svc-constructor-01234567890', 'wrong_region', 'use the address of constructor'],
    ['sk-svc-us-asleep-01234567890', 'invalid_key', 'has not signed in for 90 days'],
  ])('%s: %s', (key, code, part) => {
    const error = explainRejection(key, { ...known, isAsleep: (one) => one.includes('asleep') });
    expect([error.code, error.status]).toEqual([code, 401]);
    expect(error.message).toContain(part);
    expect(error.message).not.toContain('0123456');
  });
});
