import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressFilter } from './address-filter.ts';

const readdress = (address: string): string | undefined =>
  address.startsWith('https://p/') ? `http://ours/${address.slice(10)}` : undefined;

function through(json: string, cuts: readonly number[] = []): string {
  const filter = new AddressFilter(['results_url', 'downloadUri'], readdress);
  const bytes = Buffer.from(json);
  const parts: Buffer[] = [];
  let start = 0;
  for (const cut of [...cuts.map((at) => at % (bytes.length + 1)), bytes.length].toSorted((one, other) => one - other)) {
    parts.push(filter.pass(bytes.subarray(start, cut)));
    start = cut;
  }
  return Buffer.concat([...parts, filter.rest() ?? Buffer.alloc(0)]).toString();
}

describe('of a JSON text that passes', () => {
  it.each([
    ['an address is replaced', '{"id":1,"results_url":"https://p/a?b=1"}', '{"id":1,"results_url":"http://ours/a?b=1"}'],
    ['one with white space around it', '{"results_url" :\n "https://p/a" }', '{"results_url" :\n "http://ours/a" }'],
    ['one with escapes', String.raw`{"results_url":"https:\/\/p\/ä\u0022"}`, String.raw`{"results_url":"http://ours/ä\""}`],
    [
      'each of several',
      '[{"results_url":"https://p/a","downloadUri":"https://p/b"}]',
      '[{"results_url":"http://ours/a","downloadUri":"http://ours/b"}]',
    ],
  ])('%s', (_what, json, passed) => {
    expect(through(json)).toBe(passed);
  });

  it.each([
    ['another address', '{"results_url":"https://q/a"}'],
    ['no address', '{"results_url":null,"downloadUri":["https://p/a"],"x":{"results_url":1}}'],
    ['another member', '{"uri":"https://p/a","my_results_url":"https://p/a"}'],
    ['a text that speaks of one', String.raw`{"text":"\"results_url\":\"https://p/a\""}`],
    ['what is no JSON', '"results_url":"https://p/a'],
    ['what ends within it', '{"results_url"  '],
    ['an address of 20 KB', `{"results_url":"https://q/${'x'.repeat(20_000)}"}`],
    ['nothing', ''],
  ])('%s passes as it is', (_what, json) => {
    expect(through(json)).toBe(json);
    expect(through(json, [1, 5, 13, 14, 15, 16, 20])).toBe(json);
  });

  it('the same passes however it is cut (seeded)', () => {
    const piece = fc.constantFrom(
      '{"results_url":"https://p/a"}',
      '"results_url"',
      '"downloadUri" : "https://p/\u00e9"',
      '"results_url":"https://q/"',
      '"results_',
      ':',
      '"',
      '\\',
      ' ',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(400), { maxLength: 12 }), (pieces, cuts) => {
        const json = pieces.join('');
        expect(through(json, cuts)).toBe(through(json));
      }),
      { numRuns: 3000, seed: 12 },
    );
  });

  it('little of it is kept back', () => {
    const filter = new AddressFilter(['results_url'], readdress);
    const endless = Buffer.from(`{"results_url":"https://p/${'x'.repeat(1000)}`);
    expect(filter.pass(endless).length).toBe(1);
    for (let count = 0; count < 40; count += 1) filter.pass(Buffer.alloc(1000, 'x'));
    expect(filter.rest()?.length ?? 0).toBeLessThan(16 * 1024);
  });
});
