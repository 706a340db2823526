import { indexBefore } from './characters.ts';
import { indexIn } from './find.ts';
import { type Wildcards, wildcardsOf } from './segment.ts';
import { findWildcards, matchesAt } from './wildcards.ts';
import type { Steps, Work } from './work.ts';

/** The part between two `%`: text, or characters with wildcards. */
type Segment = string | Wildcards;

/** A LIKE pattern of SQL that was read. */
export type LikePattern = readonly [Segment, ...Segment[]];

/**
 * Reads a LIKE pattern of SQL: `%` is any run of characters, `_` one character (a code point), `\%`, `\_` and `\\` are literal. A backslash
 * before anything else is literal.
 */
export function likePatternOf(pattern: string): LikePattern {
  const [first = '', ...others] = pieces(pattern).map(({ text, wildcardsAt }) =>
    wildcardsAt.size === 0 ? text.join('') : wildcardsOf(text, wildcardsAt),
  );
  return [first, ...others];
}

interface Piece {
  readonly text: string[];
  readonly wildcardsAt: Set<number>;
}

/** The pattern split at each `%`. */
function pieces(pattern: string): readonly Piece[] {
  const split: Piece[] = [];
  let piece: Piece = { text: [], wildcardsAt: new Set() };
  for (const [token] of pattern.matchAll(/\\[%_\\]|[^]/gu)) {
    if (token === '%') {
      split.push(piece);
      piece = { text: [], wildcardsAt: new Set() };
      continue;
    }
    if (token === '_') piece.wildcardsAt.add(piece.text.length);
    piece.text.push(token.length === 2 && token.startsWith('\\') ? token.slice(1) : token);
  }
  return [...split, piece];
}

/** Whether a whole text matches. Each segment is sought once behind the one before it, so the time is linear in the text. */
export function* likeMatches(text: string, [first, ...others]: LikePattern, work: Work): Steps<boolean> {
  const start = endOfMatch(text, first, 0, work);
  if (start === undefined) return false;
  const last = others.pop();
  if (last === undefined) return start === text.length;
  let position = start;
  for (const segment of others) {
    const next = yield* findFrom(text, segment, position, work);
    if (next === undefined) return false;
    position = next;
  }
  return endsWith(text, last, position, work);
}

/** The end of a segment that matches exactly here. */
function endOfMatch(text: string, segment: Segment, from: number, work: Work): number | undefined {
  if (typeof segment === 'string') return text.startsWith(segment, from) ? from + segment.length : undefined;
  return matchesAt(text, segment, from, work);
}

/** The end of the segment's first occurrence from here on: the first leaves the most to later segments. */
function* findFrom(text: string, segment: Segment, from: number, work: Work): Steps<number | undefined> {
  if (typeof segment !== 'string') return yield* findWildcards(text, segment, from, work);
  const found = yield* indexIn(text, segment, from, work);
  return found === -1 ? undefined : found + segment.length;
}

function endsWith(text: string, segment: Segment, from: number, work: Work): boolean {
  if (typeof segment === 'string') return text.length - segment.length >= from && text.endsWith(segment);
  const start = indexBefore(text, text.length, segment.characters.length);
  return start !== undefined && start >= from && matchesAt(text, segment, start, work) === text.length;
}
