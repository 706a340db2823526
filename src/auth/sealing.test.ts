import { createHash } from 'node:crypto';
import { property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { makeCredentialHash } from './sealing.ts';
import { assert } from '../../test/support/seeded.ts';

const secret = Buffer.alloc(32, 7);
const hash = makeCredentialHash(secret);

test('the hash of a credential is the same in every process of a deployment', () => {
  expect(hash('sk-one')).toBe(makeCredentialHash(Buffer.from(secret))('sk-one'));
  // Stored ones are compared with those of later versions.
  expect(hash('sk-one')).toBe('4_NhBvD2LGVPMD4i7tRCZA');
});

test('another credential has another hash', () => {
  assert(
    property(string(), string(), (one, other) => {
      expect(hash(one) === hash(other)).toBe(one === other);
    }),
  );
});

test('nobody without the secret can tell whose hash it is', () => {
  expect(makeCredentialHash(Buffer.alloc(32, 8))('sk-one')).not.toBe(hash('sk-one'));
  expect(hash('sk-one')).toMatch(/^[\w-]{22}$/);
  const plain = createHash('sha256').update('sk-one').digest();
  expect(Buffer.from(hash('sk-one'), 'base64url')).not.toEqual(plain.subarray(0, 16));
});
