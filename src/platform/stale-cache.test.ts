import { beforeEach, describe, expect, test } from 'vitest';
import { StaleCache, type StaleCacheOptions } from './stale-cache.ts';

let now: number;
let value: string;
let reads: string[];
let away: boolean;

beforeEach(() => {
  now = 0;
  value = 'first';
  reads = [];
  away = false;
});

function read(key: string): string {
  reads.push(key);
  if (away) throw new Error('away');
  return value;
}

function cacheOf(options: Partial<StaleCacheOptions<string, string, string>> = {}): StaleCache<string, string> {
  return new StaleCache({ read, monotonic: () => now, freshMs: 10, ...options });
}

describe('a value that is read at once', () => {
  test('is read again when it is no longer fresh', () => {
    const cache = cacheOf();
    expect(cache.get('a')).toBe('first');
    value = 'second';
    now = 9;
    expect(cache.get('a')).toBe('first');
    now = 10;
    expect(cache.get('a')).toBe('second');
    expect(reads).toEqual(['a', 'a']);
  });

  test('is read again after it was forgotten', () => {
    const cache = cacheOf();
    cache.get('a');
    value = 'second';
    cache.forget('a');
    expect(cache.get('a')).toBe('second');
  });

  test('is served stale for staleMaxMs after its last successful read, and no longer', () => {
    const cache = cacheOf({ staleMaxMs: 25 });
    cache.get('a');
    away = true;
    for (now = 10; now <= 25; now += 1) expect(cache.get('a')).toBe('first');
    expect(reads).toHaveLength(4);
    now = 26;
    expect(() => cache.get('a')).toThrow('away');
  });

  test('without staleMaxMs is not served stale', () => {
    const cache = cacheOf();
    cache.get('a');
    away = true;
    now = 10;
    expect(() => cache.get('a')).toThrow('away');
  });

  test('is thrown as onFailure says', () => {
    const cache = cacheOf({ onFailure: (error) => new Error('unavailable', { cause: error }) });
    away = true;
    expect(() => cache.get('a')).toThrow('unavailable');
  });

  test('pushes out the one that was read longest ago when there are too many', () => {
    const cache = cacheOf({ capacity: 2 });
    for (const key of ['a', 'b']) cache.get(key);
    now = 10;
    cache.get('a');
    cache.get('c');
    reads = [];
    for (const key of ['a', 'c', 'b']) cache.get(key);
    expect(reads).toEqual(['b']);
  });
});

describe('a value that takes time', () => {
  let finish: ((value: string) => void)[];
  const later = (key: string): Promise<string> => {
    reads.push(key);
    return new Promise((resolve) => finish.push(resolve));
  };
  const cacheOfPromises = () => new StaleCache<string, string, Promise<string>>({ read: later, monotonic: () => now, freshMs: 10 });
  beforeEach(() => {
    finish = [];
  });

  test('is read once for all who wait, and is there at once afterwards', async () => {
    const cache = cacheOfPromises();
    const waiting = [1, 2].map(async () => cache.get('a'));
    finish[0]?.('first');
    expect(await Promise.all(waiting)).toEqual(['first', 'first']);
    expect(reads).toEqual(['a']);
    expect(cache.get('a')).toBe('first');
  });

  test('is not kept when it was forgotten while it was read', async () => {
    const cache = cacheOfPromises();
    const before = cache.get('a');
    cache.forget('a');
    const after = cache.get('a');
    finish[1]?.('second');
    expect(await after).toBe('second');
    finish[0]?.('first');
    expect(await before).toBe('first');
    expect(cache.get('a')).toBe('second');
  });
});
