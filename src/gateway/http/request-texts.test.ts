import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Directives } from '../directives/directives.ts';
import { headerText, withoutSecrets } from './headers.ts';
import { replaceModel } from '../bodies/shape.ts';
import { findModelField } from '../json/model-field.ts';
import { readRequestHead } from '../directives/request-head.ts';

const wire = (text: string): string => Buffer.from(text).toString('latin1');

const read = (...raw: string[]): Directives => readRequestHead(raw).directives;
const passedEncoding = (value: string): string | undefined => readRequestHead(['Accept-Encoding', value]).passed[1];

describe('the model in a JSON text', () => {
  it('is found where JSON.parse finds it, and only its bytes change (seed 5)', () => {
    const rest = fc.dictionary(
      fc.string({ unit: 'grapheme' }).filter((name) => name !== 'model'),
      fc.jsonValue({ maxDepth: 3 }),
      { maxKeys: 4 },
    );
    fc.assert(
      fc.property(rest, rest, fc.string({ unit: 'grapheme', maxLength: 30 }), fc.nat(3), (...[before, after, model, indent]) => {
        const text = JSON.stringify({ ...before, model, ...after }, null, indent);
        const json = Buffer.from(text);
        const field = findModelField(json);
        expect(field?.text).toBe(model);
        if (field === undefined) return;
        expect(json.toString('utf8', field.start, field.end)).toBe(JSON.stringify(model).slice(1, -1));
        const replaced = replaceModel(json, field, 'a"b/ü');
        expect(JSON.parse(replaced.toString())).toEqual(JSON.parse(JSON.stringify({ ...before, model: 'a"b/ü', ...after })));
        expect(replaced.subarray(0, field.start).equals(json.subarray(0, field.start))).toBe(true);
        expect(replaced.subarray(-(json.length - field.end)).equals(json.subarray(field.end))).toBe(true);
      }),
      { seed: 5, numRuns: 500 },
    );
  });

  it.each([
    ['given twice, is the last', '{"model":"groq/a","m":[{"model":"x"}],"model" : "openai/b","z":{"model":"y"}}', 'openai/b'],
    ['given twice, the last no text, is none', '{"model":"groq/a","model":7}', undefined],
    ['behind a byte order mark', '\ufeff {"model":"groq/a"}', 'groq/a'],
    ['once, in front of what looks like another', '{"model":"a","t":"model","u":["model"],"v":{"model":"b"}}', 'a'],
    ['given twice, with words between that end as the key does', '{"model":"a","t":"no model","remodel":1,"model":"b"}', 'b'],
    ['once, in front of words that end as the key does', '{"model":"a","t":"no model","remodel":"c"}', 'a'],
    ['in a body that was cut', '{"model":"a","model', 'a'],
  ])('%s', (_name, text, model) => {
    const json = Buffer.from(text);
    const field = findModelField(json);
    expect(field?.text).toBe(model);
    expect(field === undefined ? undefined : json.toString('utf8', field.start, field.end)).toBe(model);
  });

  it('any bytes at all do no harm (seed 6)', () => {
    const bytes = fc.array(fc.constantFrom('{', '}', '"', '\\', 'model', ':', ' ', '[', ']', ',', 'a/b'), { maxLength: 30 });
    fc.assert(
      fc.property(bytes, (parts) => {
        const json = Buffer.from(parts.join(''));
        const field = findModelField(json);
        expect(field === undefined || (field.start <= field.end && field.end < json.length)).toBe(true);
      }),
      { seed: 6, numRuns: 1000 },
    );
  });
});

describe('header texts', () => {
  it('are UTF-8 where they can be, else Latin-1', () => {
    expect([wire('日本'), 'caf\xe9', 'plain', wire('é'), '\xc3'].map(headerText)).toEqual(['日本', 'caf\xe9', 'plain', 'é', '\xc3']);
  });

  it('zstd is taken out of Accept-Encoding in any spelling', () => {
    expect(['gzip, br, zstd', 'ZSTD', 'zstd;q=1.0, gzip', 'gzip;q=0.5', 'br, zstdx'].map(passedEncoding)).toEqual([
      'gzip, br',
      'identity',
      'gzip',
      'gzip;q=0.5',
      'br, zstdx',
    ]);
  });

  const addresses: readonly [address: string, recorded: string][] = [
    ['/v1/x', '/v1/x'],
    ['/v1/x?a=1&b', '/v1/x?a=1&b'],
    ['/x?key=s&api_key=s&apiKey=s&X-Amz-Signature=s&access%5Ftoken=s', '/x?key=…&api_key=…&apiKey=…&X-Amz-Signature=…&access%5Ftoken=…'],
    ['/x?sig=a=b&se=2&code=c&client-secret=d', '/x?sig=…&se=2&code=…&client-secret=…'],
    ['/x?q=sk-abc&r=Bearer%20x&s=AIzaX&max_tokens=5', '/x?q=…&r=…&s=…&max_tokens=5'],
    ['https://user:pass@host/x?%zz=1&token', 'https://host/x?%zz=1&token=…'],
  ];
  for (const [address, recorded] of addresses) {
    it(`${address} is recorded as ${recorded}`, () => {
      expect(withoutSecrets(address)).toBe(recorded);
    });
  }
});

describe('tags', () => {
  it('the last of a name wins and stands where it was said, names keep their case, and a prefix in lower case is told apart', () => {
    const { tags, aliased } = read(
      'Svc-Property-App',
      'one',
      'svc-property-app',
      'two',
      'SVC-PROPERTY-App',
      wire('drei ü'),
      'Helicone-Property-X',
      'caf\xe9',
    );
    expect(tags.properties).toEqual([
      { name: 'app', value: 'two', lowered: true },
      { name: 'App', value: 'drei ü' },
      { name: 'X', value: 'caf\xe9' },
    ]);
    expect(aliased).toBe(true);
  });

  it('an object of properties and single ones are one set, in any script', () => {
    const { tags, warnings } = read(
      'Svc-Properties',
      wire('{"naïve":"ja","Ω":"😀","__proto__":"own","bad":"\\ud800"}'),
      'Svc-Property-Plain',
      '',
    );
    expect(tags.properties.map(({ name, value }) => [name, value])).toEqual([
      ['naïve', 'ja'],
      ['Ω', '😀'],
      ['__proto__', 'own'],
      ['bad', '\ufffd'],
      ['Plain', ''],
    ]);
    expect(warnings).toEqual([]);
  });

  it('what cannot be read is left out with a warning; the call goes on', () => {
    const { tags, warnings, refusal } = read(
      'Svc-Properties',
      '[1]',
      'Svc-Cost',
      'much',
      'Svc-Prompt-Inputs',
      '{',
      'Svc-Property-',
      'x',
      'Svc-Unheard-Of',
      'true',
      'Svc-User-Id',
      '',
    );
    expect([tags, refusal, warnings.length]).toEqual([{ properties: [] }, undefined, 5]);
  });

  it('what would not be done as asked is refused, the first one named', () => {
    expect(read('Svc-Omit-Response', 'perhaps', 'Svc-Fallbacks', '{}').refusal?.message).toContain('Svc-Omit-Response');
    expect(read('Svc-Omit-Request', ' True ').tags.requestBody).toBe('counted');
  });

  it('a limit is read, malformed it is refused with a sentence, and of two nobody knows which was meant', () => {
    const { limitPolicy, aliased } = read('Helicone-RateLimit-Policy', '1000;w=60;s=user');
    expect([limitPolicy?.text, aliased]).toEqual(['1000;w=60;s=user', true]);
    expect(read('Svc-RateLimit-Policy', '1000').refusal).toMatchObject({
      code: 'invalid_directive',
      message: expect.stringContaining('Svc-RateLimit-Policy: it has no window') as unknown,
    });
    expect(read('Svc-RateLimit-Policy', '1;w=60, 2;w=90').refusal?.code).toBe('invalid_directive');
    expect(read('Svc-RateLimit-Policy', '1;w=60', 'Svc-RateLimit-Policy', '2;w=90').refusal?.message).toContain('is there twice');
    expect(read('Svc-RateLimit-Policy', '1;w=60', 'Helicone-RateLimit-Policy', '1;w=60').refusal).toBeUndefined();
  });
});
