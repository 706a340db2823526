import { describe, expect, it } from 'vitest';
import type { CachePolicy } from './cache.ts';
import type { Directives } from './directives.ts';
import { readRequestHead } from './request-head.ts';

/** What lines of the form `Name: value` ask for. */
function read(...lines: string[]): Directives {
  return readRequestHead(lines.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])).directives;
}

const day = 24 * 60 * 60 * 1000;
const plain: CachePolicy = { reads: true, saves: true, seed: '', buckets: 1, ignoredKeys: [], maxAgeMs: 7 * day };
const enabled = 'Svc-Cache-Enabled: true';

describe('what is asked of the cache', () => {
  const cases: readonly [lines: readonly string[], ask: Partial<CachePolicy> | undefined][] = [
    [[], undefined],
    [[enabled], {}],
    [['Svc-Cache-Enabled: TRUE '], {}],
    [['Helicone-Cache-Enabled: true'], {}],
    [['Svc-Cache-Enabled: false'], undefined],
    [['Svc-Cache-Seed: a', 'Cache-Control: max-age=5'], undefined],
    [['Svc-Cache-Read: true'], { saves: false }],
    [['Svc-Cache-Save: true'], { reads: false }],
    [[enabled, 'Svc-Cache-Save: false'], { saves: false }],
    [[enabled, 'Svc-Cache-Seed: user 7 '], { seed: 'user 7' }],
    [[enabled, 'Svc-Cache-Bucket-Max-Size: 20'], { buckets: 20 }],
    [[enabled, 'Svc-Cache-Ignore-Keys: request_id, , time stamp ,a.b'], { ignoredKeys: ['request_id', 'time stamp', 'a.b'] }],
    [[enabled, 'Cache-Control: max-age=60'], { maxAgeMs: 60_000 }],
    [[enabled, 'Cache-Control: public, Max-Age="60"'], { maxAgeMs: 60_000 }],
    [[enabled, 'Cache-Control: max-age=60', 'Svc-Cache-Control: max-age=90'], { maxAgeMs: 90_000 }],
    [[enabled, 'Cache-Control: max-age=60, s-maxage=30'], { maxAgeMs: 30_000 }],
    [[enabled, 'Cache-Control: public', 'Cache-Control: max-age=60'], { maxAgeMs: 60_000 }],
    [[enabled, 'Cache-Control: max-age=99999999999'], { maxAgeMs: 365 * day }],
    [[enabled, 'Cache-Control: max-age=0'], { maxAgeMs: 0 }],
    [[enabled, 'Cache-Control: no-cache'], { reads: false }],
    [['Svc-Cache-Read: true', 'Cache-Control: no-cache'], undefined],
    [[enabled, 'Cache-Control: no-store, max-age=60'], undefined],
  ];
  for (const [lines, ask] of cases) {
    it(lines.length === 0 ? 'nothing' : lines.join(' · '), () => {
      const { cache, refusal, warnings } = read(...lines);
      expect({ cache, refusal, warnings }).toEqual({ cache: ask && { ...plain, ...ask }, refusal: undefined, warnings: [] });
    });
  }
});

describe('what is no answer to a header is refused', () => {
  const cases: readonly [line: string, message: string][] = [
    ['Svc-Cache-Enabled: yes', 'Svc-Cache-Enabled takes true or false; got "yes".'],
    ['Helicone-Cache-Read: 1', 'Helicone-Cache-Read takes true or false; got "1".'],
    ['Svc-Cache-Bucket-Max-Size: 0', 'Svc-Cache-Bucket-Max-Size takes a whole number from 1 to 20; got "0".'],
    ['Svc-Cache-Bucket-Max-Size: 21', 'Svc-Cache-Bucket-Max-Size takes a whole number from 1 to 20; got "21".'],
    ['Svc-Cache-Bucket-Max-Size: 2.5', 'Svc-Cache-Bucket-Max-Size takes a whole number from 1 to 20; got "2.5".'],
    ['Cache-Control: max-age=soon', 'Cache-Control takes max-age=<seconds>; got "max-age=soon".'],
    ['Svc-Cache-Control: max-age', 'Svc-Cache-Control takes max-age=<seconds>; got "max-age".'],
  ];
  for (const [line, message] of cases) {
    it(line, () => {
      expect(read(enabled, line).refusal).toMatchObject({ code: 'invalid_directive', message });
    });
  }

  it('a Cache-Control is the caller’s own matter without the cache, and passes to the provider', () => {
    const { directives, passed } = readRequestHead(['Cache-Control', 'max-age=soon']);
    expect([directives.refusal, passed]).toEqual([undefined, ['Cache-Control', 'max-age=soon']]);
  });
});
