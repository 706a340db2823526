import { array, jsonValue, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { spansOf } from './spans.ts';
import { assert } from '../../../test/support/seeded.ts';

/** The text that a query builds from spans. */
function textAt(spans: ReturnType<typeof spansOf>, body: string): string | undefined {
  const bytes = Buffer.from(body);
  return spans?.map(([start, length]) => JSON.parse(`"${bytes.toString('utf8', start - 1, start - 1 + length)}"`) as string).join('\n');
}

function found(texts: readonly string[], body: unknown): string | undefined {
  const [text, json] = [texts.join('\n'), JSON.stringify(body)];
  return textAt(spansOf(text, json), json);
}

test('texts of messages are found in their body, whatever their characters', () => {
  const texts = ['Be brief.', 'Wo ist "Straße" 日本?\n\\o/ 😀', 'a\tb', 'user'];
  expect(found(texts, { model: 'm', messages: texts.map((content) => ({ role: 'user', content })) })).toBe(texts.join('\n'));
});

test('escapes that JSON allows and no serialiser of ours writes are read', () => {
  const body = String.raw`{"content":"caf\u00e9 \/ \ud83d\ude00"}`;
  expect(textAt(spansOf('café / 😀', body), body)).toBe('café / 😀');
});

test('a text that begins behind its end is found: a client may write its system prompt last', () => {
  expect(found(['system', 'first', 'second'], { messages: ['first', 'second'], system: 'system' })).toBe('system\nfirst\nsecond');
});

test.each([
  ['what no string of the body holds', 'absent', '{"content":"present"}'],
  ['a part of a string', 'pre', '{"content":"present"}'],
  ['a text with more behind it than the body has', 'present\nabsent', '{"content":"present"}'],
  ['strings that newlines do not join', 'onetwo', '["one","two"]'],
  ['a lone surrogate, which the store does not hold', '\u{fffd}', String.raw`["\ud800"]`],
  ['a body that breaks off', 'whole', '["whole'],
  ['no string at all', 'text', '17'],
])('%s has no spans', (_, text, body) => {
  expect(spansOf(text, body)).toBeUndefined();
});

test('a body of very many strings is left alone', () => {
  expect(spansOf('last', JSON.stringify([...Array.from({ length: 100_000 }, () => ''), 'last']))).toBeUndefined();
});

test('spans of any strings of any JSON give their text', () => {
  expect(() =>
    assert(
      property(array(string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 8 }), jsonValue(), (texts, value) => {
        const body = JSON.stringify({ value, texts });
        const spans = spansOf(texts.join('\n'), body);
        // A string before may be taken for a line of a text, and then what follows is not found: never a wrong text.
        return spans === undefined || textAt(spans, body) === texts.join('\n');
      }),
    ),
  ).not.toThrow();
});
