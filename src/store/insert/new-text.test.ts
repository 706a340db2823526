import { expect, it } from 'vitest';
import { array, assert, constantFrom, integer, oneof, property, string } from 'fast-check';
import { newSpans } from './new-text.ts';

const filler = (words: number, seed: number): string =>
  Array.from({ length: words }, (_, index) => `w${(seed * 7919 + index * 104_729) % 100_003}`).join(' ');

function newOf(earlier: string, text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return newSpans(Buffer.from(earlier), bytes).map(([start, length]) => bytes.toString('utf8', start - 1, start - 1 + length));
}

it('a turn that repeats the conversation in front and the tools behind says what stands between', () => {
  const [front, back] = [filler(2000, 1), filler(2000, 2)];
  expect(newOf(`${front}] ${back}`, `${front}, and a new message] ${back}`)).toEqual([', and a new message']);
});

it('a place ends at the ends of words, also where a word goes on or is cut', () => {
  expect(newOf('the cat sat', 'the catalogue sat')).toEqual(['catalogue']);
  expect(newOf('foobar baz', 'foo bar baz')).toEqual([' ']);
  expect(newOf('foo bar baz', 'foobar baz')).toEqual(['foobar']);
  expect(newOf('a über b', 'a übel b')).toEqual(['übel']);
  expect(newOf('one two three', 'one three')).toEqual(['three']);
});

it('the same text says nothing new, and a text without an earlier one everything', () => {
  expect(newOf('the same', 'the same')).toEqual([]);
  expect(newOf('', 'all of it')).toEqual(['all of it']);
  expect(newOf('anything', '')).toEqual([]);
});

it('up to three places are told apart: a stamp in front, a changed word in the middle, a new message', () => {
  const [head, middle, back] = [filler(1500, 3), filler(1500, 4), filler(1500, 5)];
  const earlier = `cch=ab12; ${head} old ${middle} ${back}`;
  expect(newOf(earlier, `cch=99ff; ${head} changed ${middle} newest ${back}`)).toEqual(['99ff', 'changed', 'newest']);
});

it('what has more places has one that reaches over the last of them', () => {
  const pieces = [6, 7, 8, 9, 10].map((seed) => filler(1500, seed));
  const found = newOf(pieces.join(' old '), pieces.join(' new '));
  expect(found.slice(0, 2)).toEqual(['new', 'new']);
  expect(found[2]?.startsWith('new w')).toBe(true);
  expect(found[2]?.endsWith(' new')).toBe(true);
});

it('each word of a text stands in a new place or in the earlier text', () => {
  const piece = oneof(
    integer({ min: 0, max: 30 }).map((seed) => filler(200, seed)),
    string({ unit: 'grapheme', maxLength: 8 }),
    constantFrom(' ', '"', 'ab', 'é'),
  );
  const text = array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  assert(
    property(text, text, (earlier, now) => {
      const told = new Set(newOf(earlier, now).flatMap(wordsOf));
      const missing = wordsOf(now).filter((word) => !told.has(word) && !earlier.includes(word));
      expect(missing).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

function wordsOf(text: string): readonly string[] {
  return text.split(/[\0-/:-@[-`{-\x7f]+/).filter((word) => word !== '');
}
