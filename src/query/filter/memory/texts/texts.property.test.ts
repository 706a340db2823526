import { array, assert, constantFrom, integer, oneof, property, string, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexAfter } from './characters.ts';
import { indexIn } from './find.ts';
import { folded } from './fold.ts';
import { likeMatches, likePatternOf } from './like.ts';
import { findByMasks } from './masks.ts';
import { findByPieces } from './pieces.ts';
import { wildcardsOf } from './segment.ts';
import { findWildcards } from './wildcards.ts';
import { finished, type Steps, TooMuchWork, Work } from './work.ts';
import { testSeed } from '../../../../../test/support/test-length.ts';

const seed = testSeed();

/** What LIKE means, by its definition alone: after each token, all places of the text that it may reach. */
function isLikeNaively(text: string, pattern: string): boolean {
  const characters = Array.from(text);
  let reached: readonly boolean[] = [true, ...characters.map(() => false)];
  for (const [token] of pattern.matchAll(/\\[%_\\]|[^]/gu)) {
    const before = reached;
    const literal = token.length > 1 && token.startsWith('\\') ? token.slice(1) : token;
    const first = before.indexOf(true);
    reached = before.map((_, place) => {
      if (token === '%') return first !== -1 && place >= first;
      return before[place - 1] === true && (token === '_' || characters[place - 1] === literal);
    });
  }
  return reached.at(-1) === true;
}

const isLike = (text: string, pattern: string): boolean => finished(likeMatches(text, likePatternOf(pattern), new Work()));

/** Few characters, so that much nearly matches; some of two code units. */
const letter = constantFrom('a', 'a', 'a', 'b', 'é', '😀', '😁');
const run = tuple(letter, integer({ min: 1, max: 40 })).map(([each, times]) => each.repeat(times));
const text = array(oneof(letter, run), { maxLength: 60 }).map((parts) => parts.join(''));
const patternPart = oneof(
  { weight: 6, arbitrary: letter },
  { weight: 3, arbitrary: run },
  { weight: 3, arbitrary: constantFrom('_', '__', '_a', '%', '%%', '%_') },
  { weight: 1, arbitrary: constantFrom(String.raw`\%`, String.raw`\_`, String.raw`\\`, String.raw`\a`) },
);
const pattern = array(patternPart, { maxLength: 30 }).map((parts) => parts.join(''));
/** A pattern that was made from the text matches more often. */
const textAndPattern = oneof(
  tuple(text, pattern),
  tuple(text, integer({ min: 0, max: 200 }), integer({ min: 0, max: 200 }), array(integer({ min: 0, max: 200 }), { maxLength: 80 })).map(
    ([whole, start, length, holes]): [string, string] => {
      const part = Array.from(whole).slice(start, start + length);
      const withHoles = part.map((character, index) => (holes.includes(index) ? '_' : character));
      return [whole, `%${withHoles.join('')}%`];
    },
  ),
);

/** The three searches for a text with wildcards that the next describe compares. */
const searches = {
  findWildcards,
  findByPieces,
  findByMasks: (...[whole, { characters }, from, work]: Parameters<typeof findByPieces>) => findByMasks(whole, characters, from, work),
};

describe(`a text with wildcards (seed ${seed})`, () => {
  test.each(Object.entries(searches))('is found by %s where it stands first', (_, search) => {
    const sought = array(oneof({ weight: 3, arbitrary: run }, letter, constantFrom('_')), { minLength: 1, maxLength: 12 }).map((parts) =>
      Array.from(parts.join('')),
    );
    let found = 0;
    assert(
      property(text, sought, integer({ min: 0, max: 40 }), (whole, characters, skipped) => {
        const holes = new Set([characters.length - 1, ...characters.flatMap((character, index) => (character === '_' ? [index] : []))]);
        const wildcards = wildcardsOf(characters, holes);
        const from = indexAfter(whole, 0, skipped) ?? whole.length;
        const rest = Array.from(whole.slice(from));
        const first = rest.findIndex(
          (__, start) =>
            start + characters.length <= rest.length &&
            characters.every((character, index) => holes.has(index) || character === rest[start + index]),
        );
        const expected = first === -1 ? undefined : indexAfter(whole, from, first + characters.length);
        if (first !== -1) found += 1;
        expect(finished(search(whole, wildcards, from, new Work()))).toBe(expected);
      }),
      { seed, numRuns: 2000 },
    );
    expect(found).toBeGreaterThan(50);
  });
});

describe(`LIKE (seed ${seed})`, () => {
  test('means what its definition says, for any text and pattern', () => {
    let matching = 0;
    assert(
      property(textAndPattern, ([whole, like]) => {
        const expected = isLikeNaively(whole, like);
        if (expected) matching += 1;
        expect(isLike(whole, like)).toBe(expected);
      }),
      { seed, numRuns: 3000 },
    );
    expect(matching).toBeGreaterThan(300);
  });

  test('means the same in texts that are so long, and so alike, that each search gives way to the next one', () => {
    const long = tuple(integer({ min: 1000, max: 3000 }), text, integer({ min: 0, max: 1000 }));
    const nearly = tuple(integer({ min: 20, max: 400 }), array(integer({ min: 0, max: 400 }), { maxLength: 60 }), pattern);
    assert(
      property(long, nearly, ([before, middle, after], [length, holes, end]) => {
        const whole = `${'a'.repeat(before)}${middle}${'a'.repeat(after)}`;
        const part = Array.from({ length }, (_, index) => (holes.includes(index) ? '_' : 'a')).join('');
        const like = `%${part}${end}%`;
        expect(isLike(whole, like)).toBe(isLikeNaively(whole, like));
      }),
      { seed, numRuns: 150 },
    );
  });

  test('a part is found where the engine finds it', () => {
    assert(
      property(text, text, integer({ min: 0, max: 2000 }), integer({ min: 0, max: 30 }), (left, part, from, repeats) => {
        const whole = `${left.repeat(repeats)}${part}${left}`;
        const start = Math.min(from, whole.length);
        expect(finished(indexIn(whole, part, start, new Work()))).toBe(whole.indexOf(part, start));
      }),
      { seed, numRuns: 1000 },
    );
  });
});

test(`a long text is folded as the engine folds it (seed ${seed})`, () => {
  const words = constantFrom('ΟΔΟΣ', 'Σ', 'ΑΣ', 'İ', 'ẞ', 'word', '😀', "'", '.', '\u0301', '-');
  assert(
    property(
      array(tuple(words, constantFrom('', ' ', ',', '\n', '"', '7', '{')), { minLength: 1, maxLength: 40 }),
      string(),
      (parts, other) => {
        const whole = `${parts.flat().join('')}${other}`;
        const long = whole.repeat(Math.ceil(200_000 / whole.length));
        expect(finished(folded(long, new Work()))).toBe(long.toLowerCase());
      },
    ),
    { seed, numRuns: 100 },
  );
});

describe('the work on a text of a megabyte', () => {
  const mebi = 1024 * 1024;
  const alike = 'a'.repeat(mebi);
  const unitsOf = <Result>(steps: (work: Work) => Steps<Result>): readonly [Result, number] => {
    const work = new Work();
    return [finished(steps(work)), work.spent / mebi];
  };

  test.each<readonly [name: string, like: string, maxUnitsPerCharacter: number]>([
    ['a long part that ends in a wildcard and another letter', `%${'a'.repeat(16_000)}_b%`, 40],
    ['a long part with another letter in its middle', `%${'a'.repeat(8000)}b${'a'.repeat(8000)}%`, 40],
    ['a part with a wildcard in each of its thirds', `%${'a'.repeat(5000)}_${'a'.repeat(5000)}_${'a'.repeat(5000)}b%`, 60],
    ['many parts', `${'%a'.repeat(8000)}%b`, 40],
    ['many wildcards', `%${'_'.repeat(16_000)}b`, 40],
    // A state of 63 words.
    ['wildcards in turn with letters', `%${'a_'.repeat(1000)}b%`, 200],
  ])('is linear for %s', (_, like, max) => {
    const [isMatch, units] = unitsOf((work) => likeMatches(alike, likePatternOf(like), work));
    expect(isMatch).toBe(false);
    expect(units).toBeLessThan(max);
  });

  test.each([1, 100, 10_000, 400_000])('is linear for a part of two times %i letters around another one', (length) => {
    const [index, units] = unitsOf((work) => indexIn(alike, `${'a'.repeat(length)}b${'a'.repeat(length)}`, 0, work));
    expect(index).toBe(-1);
    expect(units).toBeLessThan(40);
  });

  test('ends at its bound', () => {
    expect(() => finished(likeMatches(alike, likePatternOf('%c%'), new Work(mebi / 2)))).toThrow(TooMuchWork);
  });
});
