import { describe, expect, test } from 'vitest';
import { readExactly } from '../../../../src/model/json/exact-numbers.ts';
import { lineTokens } from './line-tokens.ts';
import { beginningOf, rawBody, shownBody, shownLength, shownLineLength } from './raw-bodies.ts';

const linesOf = (body: unknown): readonly string[] => {
  const raw = rawBody(body);
  return raw === undefined ? [] : shownBody(body, raw).lines;
};

const beginning = (body: unknown): readonly string[] | undefined => {
  const raw = rawBody(body);
  return raw === undefined ? undefined : beginningOf(body, raw);
};

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

test('tokens of a line', () => {
  const line = String.raw`  "a \" b": [-1.5, true, "x"],`;
  expect(lineTokens(line).map(({ kind, from, to }) => [kind, line.slice(from, to)])).toEqual([
    ['name', String.raw`"a \" b"`],
    ['number', '-1.5'],
    ['word', 'true'],
    ['string', '"x"'],
  ]);
});
