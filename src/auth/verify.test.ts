import { inspect } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseUuid, type OrganizationId } from '../model/ids.ts';
import type { Observation } from '../model/observation.ts';
import type { Principal } from '../model/principal.ts';
import { hashKey } from './api-key.ts';
import { KeyVerifier } from './verify.ts';

const key = 'sk-svc-us-0123456789abcdef';
const principal: Principal = {
  organizationId: parseUuid('01890000-0000-7000-8000-000000000001') as OrganizationId,
  keyId: 'key-1',
  keyHash: hashKey(key),
  permissions: 'rw',
};

/** Ten minutes, as the setting's default. */
const staleMaxMs = 600_000;
let time: number;
let stored: Map<string, Principal>;
let away: boolean;
let lookedUp: string[];
let observed: Observation[];

beforeEach(() => {
  time = 0;
  stored = new Map([[principal.keyHash, principal]]);
  away = false;
  lookedUp = [];
  observed = [];
});

function lookUp(keyHash: string): Principal | undefined {
  lookedUp.push(keyHash);
  if (away) throw new Error('disk I/O error');
  return stored.get(keyHash);
}

function verifierOf(find: (keyHash: string) => Principal | undefined | Promise<Principal | undefined> = lookUp): KeyVerifier {
  return new KeyVerifier({ lookUp: find, monotonic: () => time, staleMaxMs, observe: (observation) => observed.push(observation) });
}

/** The principal from a verifier that must answer without a promise. */
function check(verifier: KeyVerifier, text = key): Principal | undefined {
  const found = verifier.verify(hashKey(text));
  if (found instanceof Promise) throw new Error('The result is a promise.');
  return found;
}

describe('a known key', () => {
  test('is looked up again only after two seconds', () => {
    const verifier = verifierOf();
    for (time = 0; time < 2000; time += 100) expect(check(verifier)).toBe(principal);
    expect(lookedUp).toHaveLength(1);
    time = 2000;
    expect(check(verifier)).toBe(principal);
    expect(lookedUp).toHaveLength(2);
  });

  test('is refused within five seconds of its revocation', () => {
    const verifier = verifierOf();
    check(verifier);
    time = 1999;
    stored.clear();
    expect(check(verifier)).toBe(principal);
    time = 2000;
    expect(check(verifier)).toBeUndefined();
  });

  test('stays good for ten minutes while look-ups fail, and no longer', () => {
    const verifier = verifierOf();
    check(verifier);
    away = true;
    for (time = 1000; time <= staleMaxMs; time += 1000) expect(check(verifier)).toBe(principal);
    expect(lookedUp.length).toBeLessThanOrEqual(1 + staleMaxMs / 2000);
    time = staleMaxMs + 1;
    expect(() => check(verifier)).toThrow(expect.objectContaining({ code: 'metadata_unavailable' }));
    expect(observed).toContainEqual({ kind: 'key_lookup_failed', reason: 'disk I/O error' });
    away = false;
    expect(check(verifier)).toBe(principal);
  });

  test('that was revoked during an outage is refused soon after it', () => {
    const verifier = verifierOf();
    check(verifier);
    away = true;
    stored.clear();
    time = 3000;
    expect(check(verifier)).toBe(principal);
    away = false;
    time = 5000;
    expect(check(verifier)).toBeUndefined();
  });
});

describe('an unknown key', () => {
  test('works one second after it is created at the latest', () => {
    const verifier = verifierOf();
    stored.clear();
    expect(check(verifier)).toBeUndefined();
    stored.set(principal.keyHash, principal);
    time = 999;
    expect(check(verifier)).toBeUndefined();
    expect(lookedUp).toHaveLength(1);
    time = 1000;
    expect(check(verifier)).toBe(principal);
  });

  test('is not called unknown while it cannot be looked up', () => {
    const verifier = verifierOf();
    away = true;
    expect(() => check(verifier)).toThrow(expect.objectContaining({ code: 'metadata_unavailable', status: 503 }));
    away = false;
    expect(check(verifier)).toBe(principal);
  });
});

describe('a look-up that takes time', () => {
  test('is made once for all who wait, and the next answer comes without a promise', async () => {
    const verifier = verifierOf(async (keyHash) => lookUp(keyHash));
    const verdicts = [1, 2, 3].map(async () => verifier.verify(hashKey(key)));
    expect(await Promise.all(verdicts)).toEqual([principal, principal, principal]);
    expect(lookedUp).toHaveLength(1);
    expect(check(verifier)).toBe(principal);
  });

  test('and fails is a rejection, or the stale answer', async () => {
    const verifier = verifierOf(async (keyHash) => lookUp(keyHash));
    away = true;
    await expect(verifier.verify(hashKey(key))).rejects.toMatchObject({ code: 'metadata_unavailable' });
    away = false;
    await verifier.verify(hashKey(key));
    away = true;
    time = 2000;
    expect(await verifier.verify(hashKey(key))).toBe(principal);
  });
});

describe('the cache', () => {
  test('is bounded, and invented keys do not push out a good one', () => {
    const verifier = verifierOf();
    check(verifier);
    for (let number = 0; number < 10_001; number += 1) check(verifier, `sk-svc-us-${number}`);
    lookedUp = [];
    expect(check(verifier)).toBe(principal);
    expect(check(verifier, 'sk-svc-us-10000')).toBeUndefined();
    expect(lookedUp).toEqual([]);
    expect(check(verifier, 'sk-svc-us-0')).toBeUndefined();
    expect(lookedUp).toHaveLength(1);
  });

  test('does not hold the key, and no error does', () => {
    const verifier = verifierOf();
    check(verifier);
    expect(inspect(verifier, { depth: 9, showHidden: true })).not.toContain(key);
    away = true;
    time = staleMaxMs + 1;
    let thrown: unknown;
    try {
      check(verifier);
    } catch (error) {
      thrown = error;
    }
    expect(inspect([thrown, observed], { depth: 9 })).not.toContain(key);
  });
});
