import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CachedResponses, type CachedResponse, type CacheKey } from './cached-responses.ts';
import { type LmdbEnvironment, openEnvironment } from './lmdb.ts';

const minute = 60_000;
/** What a reply of these tests takes besides its body: its head, and 512 bytes. */
const overhead = 512 + 'content-typeapplication/json'.length;
const week = 7 * 24 * 60 * minute;
let folder: string;
let environment: LmdbEnvironment;
let cache: CachedResponses;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-state-'));
  environment = openEnvironment(folder, 64 * 1024 * 1024, () => undefined);
  cache = new CachedResponses(environment, { maxBytes: 100_000, maxResponseBytes: 50_000 });
});

afterEach(async () => {
  await environment.close();
  rmSync(folder, { recursive: true });
});

const keyOf = (fingerprint: string, buckets = 1, organizationId = 'one'): CacheKey => ({ organizationId, fingerprint, buckets });

function responseOf(requestId: string, given: Partial<CachedResponse> = {}): CachedResponse {
  return {
    requestId,
    userId: '',
    status: 200,
    headers: ['content-type', 'application/json'],
    body: Buffer.from(`{"id":"${requestId}"}`),
    createdAt: 0,
    expiresAt: week,
    latencyMs: 120,
    ...given,
  };
}

/** What a look finds: the identifier of the exchange that is given again. */
function found(key: CacheKey, now = 1): string | undefined {
  const lookup = cache.find(key, now);
  return 'hit' in lookup ? lookup.hit.requestId : undefined;
}

describe('a reply', () => {
  it('is found again as it was kept', () => {
    const response = responseOf('r1', { body: Uint8Array.from([0, 255, 10]), headers: ['Set-Thing', 'ü'] });
    cache.keep(keyOf('f'), 0, response, 0);
    const lookup = cache.find(keyOf('f'), 1);
    expect(lookup).toMatchObject({ bucket: 0, hit: { requestId: 'r1', status: 200, headers: ['Set-Thing', 'ü'], latencyMs: 120 } });
    expect('hit' in lookup && Buffer.from(lookup.hit.body)).toEqual(Buffer.from(response.body));
  });

  it('is not found under another key, nor by another organisation', () => {
    cache.keep(keyOf('f'), 0, responseOf('r1'), 0);
    expect(found(keyOf('g'))).toBeUndefined();
    expect(found(keyOf('f', 1, 'two'))).toBeUndefined();
  });

  it('is not found once it has expired, and makes room for the next', () => {
    cache.keep(keyOf('f'), 0, responseOf('r1', { expiresAt: 100 }), 0);
    expect(found(keyOf('f'), 99)).toBe('r1');
    expect(cache.find(keyOf('f'), 100)).toEqual({ freeBuckets: [0] });
    cache.keep(keyOf('f'), 0, responseOf('r2'), 101);
    expect(found(keyOf('f'), 102)).toBe('r2');
    expect(cache.total()).toBe(responseOf('r2').body.length + overhead);
  });

  it('lives no longer by a clock that is set back: one from the future makes room for the next', () => {
    cache.keep(keyOf('f'), 0, responseOf('r1', { createdAt: 10 * minute, expiresAt: 20 * minute }), 10 * minute);
    expect(found(keyOf('f'), 9 * minute)).toBe('r1');
    expect(cache.find(keyOf('f'), 9 * minute - 1)).toEqual({ freeBuckets: [0] });
    cache.keep(keyOf('f'), 0, responseOf('r2', { createdAt: minute, expiresAt: 2 * minute }), minute);
    expect(found(keyOf('f'), minute)).toBe('r2');
    expect(cache.total()).toBe(responseOf('r2').body.length + overhead);
  });

  it('is not found by who asks for a younger one', () => {
    cache.keep(keyOf('f'), 0, responseOf('r1', { createdAt: 1000 }), 1000);
    const foundWithin = (maxAgeMs: number): boolean => 'hit' in cache.find(keyOf('f'), 2000, maxAgeMs);
    expect([999, 1000, 1001, week].map(foundWithin)).toEqual([false, false, true, true]);
  });

  it('over the limit of one is not kept', () => {
    expect(cache.keep(keyOf('f'), 0, responseOf('r1', { body: new Uint8Array(50_000) }), 0)).toBe(false);
    expect(found(keyOf('f'))).toBeUndefined();
  });
});

describe('several buckets', () => {
  it('are filled before any of them is given, then each is given at times', () => {
    const key = keyOf('f', 3);
    for (const bucket of [0, 1, 2]) {
      expect(cache.find(key, 1)).toEqual({ freeBuckets: [0, 1, 2].slice(bucket) });
      cache.keep(key, bucket, responseOf(`r${bucket}`), 1);
    }
    const seen = new Set(Array.from({ length: 200 }, () => found(key)));
    expect(seen).toEqual(new Set(['r0', 'r1', 'r2']));
  });
});

describe('a full cache', () => {
  it('lets the least recently used go', () => {
    const body = new Uint8Array(30_000);
    for (const name of ['a', 'b', 'c']) cache.keep(keyOf(name), 0, responseOf(name, { body }), 0);
    expect(found(keyOf('a'), 2 * minute)).toBe('a');
    cache.keep(keyOf('d'), 0, responseOf('d', { body }), 3 * minute);
    expect(['a', 'b', 'c', 'd'].map((name) => found(keyOf(name), 3 * minute))).toEqual(['a', undefined, 'c', 'd']);
    expect(cache.total()).toBe(3 * (30_000 + overhead));
  });

  it('knows a use of a moment ago, however many there were', () => {
    const body = new Uint8Array(30_000);
    for (const [index, name] of ['a', 'b', 'c'].entries()) cache.keep(keyOf(name), 0, responseOf(name, { body }), index);
    expect(found(keyOf('c'), 3)).toBe('c');
    expect(found(keyOf('a'), 4)).toBe('a');
    cache.keep(keyOf('d'), 0, responseOf('d', { body }), 5);
    expect(['a', 'b', 'c', 'd'].map((name) => found(keyOf(name), 6))).toEqual(['a', undefined, 'c', 'd']);
    for (let step = 0; step < 600; step += 1) found(keyOf('acd'[step % 2] ?? ''), 7);
    cache.keep(keyOf('e'), 0, responseOf('e', { body }), 8);
    expect(['a', 'c', 'd', 'e'].map((name) => found(keyOf(name), 9))).toEqual(['a', 'c', undefined, 'e']);
  });

  it('does not count a use for what has taken the bucket since', () => {
    cache.keep(keyOf('a'), 0, responseOf('a1'), 0);
    found(keyOf('a'), 2000);
    found(keyOf('a'), 2001);
    cache.keep(keyOf('a'), 0, responseOf('a2'), 1000);
    const body = new Uint8Array(49_000);
    cache.keep(keyOf('b'), 0, responseOf('b', { body }), 1500);
    cache.keep(keyOf('c'), 0, responseOf('c', { body }), 2500);
    cache.keep(keyOf('d'), 0, responseOf('d', { body: new Uint8Array(100) }), 2600);
    expect(['a', 'b', 'c', 'd'].map((name) => found(keyOf(name), 3000))).toEqual([undefined, 'b', 'c', 'd']);
  });

  it('never holds more than its limit and counts what it holds, whatever is kept and used (seeded)', () => {
    const step = fc.record({ name: fc.integer({ min: 0, max: 30 }), bytes: fc.integer({ min: 0, max: 49_000 }), use: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        cache.forget('one');
        expect(cache.total()).toBe(0);
        const sizes = new Map<string, number>();
        steps.forEach(({ name, bytes, use }, index) => {
          const now = index * 2 * minute;
          if (use) found(keyOf(`f${name}`), now);
          else {
            cache.keep(keyOf(`f${name}`), 0, responseOf(`r${index}`, { body: new Uint8Array(bytes) }), now);
            sizes.set(`f${name}`, bytes + overhead);
          }
          const held = [...sizes].filter(([fingerprint]) => found(keyOf(fingerprint), now) !== undefined);
          expect(cache.total()).toBe(held.reduce((sum, [, size]) => sum + size, 0));
          expect(cache.total()).toBeLessThanOrEqual(100_000);
        });
      }),
      { numRuns: 30, seed: 4711 },
    );
  });
});

it('forgets the replies to one user, or all of an organisation, and says how many', () => {
  cache.keep(keyOf('a'), 0, responseOf('a', { userId: 'ann' }), 0);
  cache.keep(keyOf('b'), 0, responseOf('b', { userId: 'bob' }), 0);
  cache.keep(keyOf('c', 1, 'two'), 0, responseOf('c', { userId: 'ann' }), 0);
  expect(cache.forget('one', 'ann')).toBe(1);
  expect([found(keyOf('a')), found(keyOf('b')), found(keyOf('c', 1, 'two'))]).toEqual([undefined, 'b', 'c']);
  expect(cache.forget('one')).toBe(1);
  expect(cache.total()).toBe(responseOf('c').body.length + overhead);
});

it('is shared by all that open it', async () => {
  cache.keep(keyOf('f'), 0, responseOf('r1'), 0);
  const other = openEnvironment(folder, 64 * 1024 * 1024, () => undefined);
  expect(new CachedResponses(other, { maxBytes: 100_000, maxResponseBytes: 50_000 }).find(keyOf('f'), 1)).toMatchObject({
    hit: { requestId: 'r1' },
  });
  await other.close();
});

it('of buckets that are looked at only the body that is given is read', () => {
  const read: unknown[] = [];
  const table = environment.table.bind(environment);
  vi.spyOn(environment, 'table').mockImplementation((name) => {
    const opened = table<unknown, string[]>(name);
    if (name === 'replies') {
      const get = opened.get.bind(opened);
      opened.get = (key: string[]) => {
        const value = get(key);
        if (value !== undefined) read.push(value);
        return value;
      };
    }
    return opened;
  });
  const counted = new CachedResponses(environment, { maxBytes: 100_000, maxResponseBytes: 50_000 });
  const key = keyOf('f', 20);
  for (let bucket = 0; bucket < 19; bucket += 1) counted.keep(key, bucket, responseOf(`r${bucket}`, { userId: 'u' }), 0);
  expect([counted.find(key, 1), counted.count('one', 'u'), read.length]).toEqual([{ freeBuckets: [19] }, 19, 0]);
  counted.keep(key, 19, responseOf('r19'), 0);
  expect([found(key) !== undefined, 'hit' in counted.find(key, 1), read.length]).toEqual([true, true, 1]);
  expect([counted.forget('one'), counted.total(), read.length]).toEqual([20, 0, 1]);
});
