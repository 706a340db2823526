import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CachePolicy } from '../directives/cache.ts';
import { cacheKeyOf, cacheKeySteps, type KeyedCall } from './key.ts';

const ask: CachePolicy = { reads: true, saves: true, seed: '', buckets: 1, ignoredKeys: [], maxAgeMs: 1 };
const call: KeyedCall = {
  organizationId: 'one',
  method: 'POST',
  origin: 'https://llm.example.com',
  path: '/v1/chat/completions?a=1',
  headers: ['Content-Type', 'application/json', 'User-Agent', 'x'],
  body: Buffer.from('{"model":"m","seed":1}'),
};

const keyOf = (changes: Partial<KeyedCall> = {}, asked: Partial<CachePolicy> = {}): string => {
  const { organizationId, fingerprint } = cacheKeyOf({ ...call, ...changes }, { ...ask, ...asked });
  return `${organizationId}/${fingerprint}`;
};
const bodyKey = (body: string, ...ignoredKeys: string[]): string => keyOf({ body: Buffer.from(body) }, { ignoredKeys });

const members = (count: number): string[] => Array.from({ length: count }, (_, index) => `"k${index}":1`);
const bodyOf = (list: readonly string[]): string => `{${list.join(',')}}`;

describe('an object of very many members', () => {
  it('counts by its members up to 10,000, in any order and without those that are ignored', () => {
    const most = members(10_000);
    expect(bodyKey(bodyOf(most.toReversed()))).toBe(bodyKey(bodyOf(most)));
    expect(bodyKey(bodyOf(most), 'k7')).toBe(bodyKey(bodyOf(most.toSpliced(7, 1)), 'k7'));
  });

  it('counts by its bytes beyond that', () => {
    const more = members(10_001);
    expect(bodyKey(bodyOf(more))).toBe(bodyKey(bodyOf(more)));
    expect(bodyKey(bodyOf(more.toReversed()))).not.toBe(bodyKey(bodyOf(more)));
    expect(bodyKey(bodyOf(more), 'k7')).not.toBe(bodyKey(bodyOf(more.toSpliced(7, 1)), 'k7'));
  });
});

describe('every part of the key counts', () => {
  const differences: readonly [what: string, changes: Partial<KeyedCall>, asked?: Partial<CachePolicy>][] = [
    ['the organisation', { organizationId: 'two' }],
    ['the method', { method: 'GET' }],
    ['the provider’s address', { origin: 'https://other.example.com' }],
    ['the path', { path: '/v1/completions?a=1' }],
    ['the query', { path: '/v1/chat/completions?a=2' }],
    ['the body', { body: Buffer.from('{"model":"m","seed":2}') }],
    ['a body that is none', { body: Buffer.alloc(0) }],
    ['the seed', {}, { seed: 's' }],
    ['a header that versions the provider’s API', { headers: [...call.headers, 'anthropic-version', '2023-06-01'] }],
    ['its value', { headers: [...call.headers, 'Anthropic-Version', '2024-01-01'] }],
    ['what is accepted', { headers: [...call.headers, 'Accept', 'text/event-stream'] }],
    ['the type of the body', { headers: [] }],
    ['the fields that are asked for', { headers: [...call.headers, 'X-Goog-FieldMask', 'candidates'] }],
    ['a method that the headers name', { headers: [...call.headers, 'X-HTTP-Method-Override', 'GET'] }],
    ['that a key is ignored, also one that the body does not have', {}, { ignoredKeys: ['system'] }],
  ];
  it.each(differences)('%s', (_what, changes, asked) => {
    expect(keyOf(changes, asked)).not.toBe(keyOf());
  });

  it('and all of these are different keys', () => {
    expect(new Set(differences.map(([, changes, asked]) => keyOf(changes, asked)))).toHaveProperty('size', differences.length);
  });

  it('parts do not run into each other', () => {
    expect(keyOf({ origin: 'ab', path: 'c' })).not.toBe(keyOf({ origin: 'a', path: 'bc' }));
  });
});

describe('what does not count', () => {
  it('other headers, and the order and case of those that count', () => {
    const headers = ['x-stainless-os', 'Linux', 'OPENAI-BETA', 'a', 'content-type', 'application/json'];
    expect(keyOf({ headers })).toBe(keyOf({ headers: ['Content-Type', 'application/json', 'OpenAI-Beta', ' a '] }));
  });

  it('in which order keys to ignore are named, and how often', () => {
    const ignoredKeys = ['seed', 'user'];
    expect(keyOf({}, { ignoredKeys: ['user', 'seed', 'user'] })).toBe(keyOf({}, { ignoredKeys }));
  });

  it('how many buckets there are', () => {
    expect(keyOf({}, { buckets: 20 })).toBe(keyOf());
  });
});

describe('bodies', () => {
  it('the order of top-level members and the white space between them do not count', () => {
    expect(bodyKey(' { "b" : [1, 2] ,\n"a":null } ')).toBe(bodyKey('{"a":null,"b":[1, 2]}'));
  });

  it('white space and order within a value count', () => {
    expect(bodyKey('{"b":[1,2]}')).not.toBe(bodyKey('{"b":[1, 2]}'));
  });

  it('numbers that parse to the same one are two', () => {
    expect(bodyKey('{"seed":9007199254740993}')).not.toBe(bodyKey('{"seed":9007199254740992}'));
  });

  it('of a name given twice the later value stays the later one', () => {
    expect(bodyKey('{"a":1,"a":2}')).not.toBe(bodyKey('{"a":2,"a":1}'));
  });

  const twice: readonly (readonly [how: string, one: string, other: string])[] = [
    ['with an escape', '"a"', String.raw`"\u0061"`],
    ['with two escapes', String.raw`"\u006d"`, String.raw`"\u006D"`],
    ['with an escape that only some write', '"a/b"', String.raw`"a\/b"`],
    ['in another case, which servers in Go take for the same', '"model"', '"Model"'],
    ['in letters that Unicode folds together', '"seed"', '"\u017feed"'],
  ];
  it.each(twice)('of a name given twice, once %s, the later value stays the later one', (_how, one, other) => {
    expect(bodyKey(`{${one}:1,"b":0,${other}:2}`)).not.toBe(bodyKey(`{${other}:2,"b":0,${one}:1}`));
    expect(bodyKey(`{${one}:1,"b":0,${other}:2}`)).toBe(bodyKey(`{"b":0,${one}:1,${other}:2}`));
  });

  it('two bodies have one key only where any server reads the same from both (seeded)', () => {
    const written = fc.constantFrom('a', 'A', String.raw`\u0061`, String.raw`\x`, String.raw`\ud800`, 'b', 'undefined');
    const member = fc.tuple(written, fc.integer({ min: 0, max: 1 })).map(([name, value]) => `"${name}":${value}`);
    fc.assert(
      fc.property(fc.array(member, { maxLength: 4 }), fc.array(member, { maxLength: 4 }), (one, other) => {
        const isSameCall = bodyKey(bodyOf(one)) === bodyKey(bodyOf(other));
        expect(isSameCall && readsAs(one) !== readsAs(other)).toBe(false);
      }),
      { numRuns: 2000, seed: 7 },
    );
  });

  it('what is no JSON object counts by its bytes, also with keys to ignore', () => {
    expect(bodyKey('[{"a":1}]', 'a')).not.toBe(bodyKey('[{"a":2}]', 'a'));
    for (const broken of [
      '{"a":1',
      '{"a":1}x',
      '{"a" 1}',
      '{"a":1 2}',
      '{"a":"1',
      '{"a":}',
      '{"a',
      '{"b":1,,"a":1}',
      '{"a":1,}',
      '{"a":"\\',
    ]) {
      expect(bodyKey(broken, 'a')).not.toBe(bodyKey(broken.replace('a', 'c'), 'a', 'c'));
      expect(bodyKey(broken, 'a')).not.toBe(bodyKey(`${broken} `, 'a'));
    }
    expect(keyOf({ body: Buffer.from([0xff]) })).not.toBe(keyOf({ body: Buffer.from([0xfe]) }));
  });
});

describe('ignored keys', () => {
  it('are left out at the top, whether they are there or not', () => {
    const without = bodyKey('{"model":"m"}', 'id', 'at');
    expect(bodyKey('{"id":1,"model":"m","at":{"x":[2]}}', 'id', 'at')).toBe(without);
    expect(bodyKey('{"at":null,"model":"m"}', 'at', 'id')).toBe(without);
    expect(bodyKey(String.raw`{"\u0069d":1,"model":"m"}`, 'id', 'at')).toBe(without);
  });

  it('are left out for those alone who ignore the same ones: nobody else gets a reply to what another did not look at', () => {
    const ignoring = bodyKey('{"system":"pirate","model":"m"}', 'system');
    expect(bodyKey('{"model":"m"}')).not.toBe(ignoring);
    expect(bodyKey('{"model":"m"}', 'system', 'user')).not.toBe(ignoring);
  });

  it('are names and not paths, and count below the top', () => {
    expect(bodyKey('{"a":{"b":1}}', 'a.b', 'b')).not.toBe(bodyKey('{"a":{"b":2}}', 'a.b', 'b'));
    expect(bodyKey('{"a.b":1}', 'a.b')).toBe(bodyKey('{}', 'a.b'));
  });

  it('two bodies have one key exactly when the rest of them is equal (seeded)', () => {
    const name = fc.constantFrom('a', 'b', 'model', '__proto__', 'é', '"', '\\');
    const scalar = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom('', 'x', '"', null, true));
    const object = fc.dictionary(name, scalar, { maxKeys: 4 });
    fc.assert(
      fc.property(object, object, (one, other) => {
        const isSame = bodyKey(JSON.stringify(one), 'a', 'model') === bodyKey(JSON.stringify(other, null, 1), 'a', 'model');
        expect(isSame).toBe(restOf(one) === restOf(other));
      }),
      { numRuns: 2000, seed: 7 },
    );
  });
});

/** Of each name, whatever its case, the first and the last value: what any server may read. */
function readsAs(list: readonly string[]): string {
  const read = new Map<string, string[]>();
  for (const member of list) {
    const [, name = '', value = ''] = /^"(.*)":(.*)$/.exec(member) ?? [];
    const key = name.replaceAll(String.raw`\u0061`, 'a').toLowerCase();
    read.set(key, [...(read.get(key) ?? []), value]);
  }
  const ends = Array.from(read, ([name, values]) => `${name} ${values[0]} ${values.at(-1)}`);
  return ends.toSorted().join();
}

/** A body without the members `a` and `model`, in an order of its own. */
function restOf({ a: _a, model: _model, ...others }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(others).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

it('the key of a large body is made in steps of a mebibyte, whatever the body is', () => {
  const text = 'x'.repeat(5 * 1024 * 1024);
  for (const body of [`{"model":"gpt-4o","input":"${text}"}`, text].map((each) => Buffer.from(each))) {
    const steps = [...cacheKeySteps({ ...call, body }, ask)];
    expect(steps.length).toBeGreaterThanOrEqual(5);
    const copy = Buffer.from(body);
    expect(cacheKeyOf({ ...call, body: copy }, ask)).toEqual(cacheKeyOf({ ...call, body }, ask));
    copy[4 * 1024 * 1024] = 0x79;
    expect(cacheKeyOf({ ...call, body: copy }, ask)).not.toEqual(cacheKeyOf({ ...call, body }, ask));
  }
});
