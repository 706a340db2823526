import { describe, expect, test } from 'vitest';
import { readExactly } from '../../../../src/model/json/exact-numbers.ts';
import { lineTokens } from './line-tokens.ts';
import type { BodyBeginning } from '../../../../src/client/client.ts';
import { beginningOf, bodyOfBeginning, linesOfBeginning, rawBody, shownBody, shownLength, shownLineLength } from './raw-bodies.ts';

const linesOf = (body: unknown): readonly string[] => {
  const raw = rawBody(body);
  return raw === undefined ? [] : shownBody(body, raw).lines;
};

const beginning = (body: unknown): readonly string[] | undefined => {
  const raw = rawBody(body);
  return raw === undefined ? undefined : beginningOf(body, raw);
};

const begins = (text: string, kind: BodyBeginning['kind'] = 'json'): BodyBeginning => ({ kind, text, content_type: '', is_whole: false });

describe('a body', () => {
  test.each([
    ['JSON', { a: [1, {}] }, { kind: 'json', text: '{"a":[1,{}]}', contentType: 'application/json' }],
    ['a text', 'event: a\n\n', { kind: 'text', text: 'event: a\n\n', contentType: 'text/plain' }],
    ['JSON that is cut', '{"a":', { kind: 'text', text: '{"a":', contentType: 'application/json' }],
    ['bytes', { base64: 'AAE=', content_type: 'image/png' }, { kind: 'bytes', text: 'AAE=', contentType: 'image/png' }],
    ['JSON with a member named base64', { base64: 'AAE=' }, { kind: 'json', text: '{"base64":"AAE="}', contentType: 'application/json' }],
    ['none', null, undefined],
  ])('is %s', (_what, body, raw) => {
    const found = rawBody(body);
    expect(found === undefined ? undefined : { ...found, text: found.text() }).toEqual(raw);
  });

  test('is shown with a value on each line, a text with its own lines', () => {
    expect(linesOf({ a: [1, {}], b: 'x\ny' })).toEqual(['{', '  "a": [', '    1,', '    {}', '  ],', String.raw`  "b": "x\ny"`, '}']);
    expect(linesOf('one\r\ntwo\rthree\nfour')).toEqual(['one', 'two', 'three', 'four']);
  });

  test('of any length is shown up to a limit, and the reader is told', () => {
    const text = 'x\n'.repeat(shownLength / 2 + 1);
    const { lines, isCut } = shownBody(text, { kind: 'text', text: () => text, contentType: 'text/plain' });
    expect([lines.length, isCut]).toEqual([shownLength / 2 + 1, true]);
  });

  test('with long lines is shown with the beginning of each, and the reader is told', () => {
    const picture = 'x'.repeat(shownLineLength);
    const body = { a: picture, b: 1 };
    const raw = rawBody(body);
    const shown = raw === undefined ? undefined : shownBody(body, raw);
    expect(shown?.lines.map((line) => line.slice(-30))).toEqual(['{', `${'x'.repeat(6)}… and 10 more characters`, '  "b": 1', '}']);
    expect(shown?.longLines).toBe(1);
  });
});

describe('the beginning of a large body', () => {
  test('is that of the whole, digit by digit and level by level', () => {
    const member = '{"a \\"b\\"":[1.50,12345678901234567890,-0,1e400,[],{},[[]],{"x":{}}],"toJSON":"t","__proto__":{"p":null},"é\\n":true}';
    const body = readExactly(`{"one":{"two":[${Array.from({ length: 100 }, () => member).join(',')}]},"last":"${'x'.repeat(30_000)}"}`);
    expect(beginning(body)).toHaveLength(400);
    expect(beginning(body)).toEqual(linesOf(body).slice(0, 400));
  });

  test('is the beginning of its long lines too', () => {
    const body = Array.from({ length: 500 }, () => 'x'.repeat(shownLineLength));
    expect(beginning(body)).toEqual(linesOf(body).slice(0, 400));
  });

  test('is none of a body that is laid out as fast, and of a text', () => {
    expect(beginning({ a: [1, 2] })).toBeUndefined();
    expect(beginning('one\n'.repeat(1000))).toBeUndefined();
  });
});

describe('a body of which the beginning alone is there', () => {
  const member = '{"a \\"b\\"":[1.50,12345678901234567890,[],{},[[]],{"x":{}}],"text":"] } , {","é\\n":true}';
  const json = `{"one":{"two":[${Array.from({ length: 8 }, () => member).join(',')}]},"last":"${'x'.repeat(30)}"}`;

  test('has the lines of the whole wherever it ends', () => {
    const whole = linesOf(readExactly(json));
    const counts = Array.from({ length: json.length }, (_, length) => {
      const lines = linesOfBeginning(begins(json.slice(0, length)));
      // An empty line stands for none.
      expect(lines).toEqual(lines.join('') === '' ? [''] : whole.slice(0, lines.length));
      return lines.length;
    });
    // All but the last value, which may go on, the line before it, which has a comma then, and the last bracket.
    expect(Math.max(...counts)).toBe(whole.length - 3);
  });

  test('has as many lines as a whole body shows first', () => {
    const many = `[${Array.from({ length: 500 }, () => '1').join(',')}`;
    expect(linesOfBeginning(begins(many))).toEqual(linesOf(Array.from({ length: 500 }, () => 1)).slice(0, 400));
  });

  test('has the lines of a text, and none of bytes', () => {
    expect(linesOfBeginning(begins('a\r\nb\nc', 'text'))).toEqual(['a', 'b', 'c']);
    expect(linesOfBeginning(begins('AAE=', 'binary'))).toEqual(['']);
  });

  test.each([
    ['no body', null, { body: null }],
    ['JSON', { kind: 'json', text: '[1.50]', content_type: '', is_whole: true }, { body: readExactly('[1.50]') }],
    ['a text', { kind: 'text', text: 'a', content_type: '', is_whole: true }, { body: 'a' }],
    [
      'bytes',
      { kind: 'binary', text: 'AAE=', content_type: 'image/png', is_whole: true },
      { body: { base64: 'AAE=', content_type: 'image/png' } },
    ],
    ['one that goes on', begins('[1'), undefined],
    ['JSON that is cut, which the API shows as a text', { kind: 'json', text: '[1', content_type: '', is_whole: true }, undefined],
  ] as const)('is %s once it is all there is', (_what, begun, body) => {
    expect(bodyOfBeginning(begun)).toEqual(body);
  });
});

test('tokens of a line', () => {
  const line = String.raw`  "a \" b": [-1.5, true, "x"],`;
  expect(lineTokens(line).map(({ kind, from, to }) => [kind, line.slice(from, to)])).toEqual([
    ['name', String.raw`"a \" b"`],
    ['number', '-1.5'],
    ['word', 'true'],
    ['string', '"x"'],
  ]);
});
