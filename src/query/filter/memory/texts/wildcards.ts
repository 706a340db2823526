import { indexAfter, indexBefore, unitsAt } from './characters.ts';
import { indexIn, unitsPerCharacter } from './find.ts';
import { findByMasks, wordsOf } from './masks.ts';
import { findByPieces } from './pieces.ts';
import { anyCharacter, type Wildcards } from './segment.ts';
import type { Steps, Work } from './work.ts';

/** Before comparisons in vain count. */
const slackUnits = 16 * 1024;

/** The end of a match that begins exactly here. */
export function matchesAt(text: string, { characters }: Wildcards, from: number, work: Work): number | undefined {
  let position = from;
  let compared = 0;
  for (const character of characters) {
    compared += 1;
    const isEqual = position < text.length && (character === anyCharacter || character === text.codePointAt(position));
    if (!isEqual) break;
    position += unitsAt(text, position);
    if (compared === characters.length) return spent(position);
  }
  return spent(undefined);

  function spent(end: number | undefined): number | undefined {
    work.spend(compared * unitsPerCharacter);
    return end;
  }
}

/**
 * The end of the first match from here on; undefined without one. The places of the longest piece tell where to compare. Where this costs
 * more than looking at each character a few times, one of two searches takes over that compare nothing twice.
 */
export function* findWildcards(text: string, wildcards: Wildcards, from: number, work: Work): Steps<number | undefined> {
  const { characters, longest } = wildcards;
  if (longest === undefined) return indexAfter(text, from, characters.length);
  const start = work.spent;
  for (let at = indexAfter(text, from, longest.at); at !== undefined;) {
    const found = yield* indexIn(text, longest.text, at, work);
    if (found === -1) return undefined;
    const first = indexBefore(text, found, longest.at) ?? 0;
    const end = matchesAt(text, wildcards, first, work);
    if (work.spend(longest.at * unitsPerCharacter)) yield;
    if (end !== undefined) return end;
    if (work.spent - start > 8 * (found - from) + slackUnits) {
      return yield* findAnywhere(text, wildcards, first + unitsAt(text, first), work);
    }
    at = found + unitsAt(text, found);
  }
  return undefined;
}

/** Both are linear in the text: one also in the number of pieces, the other in a thirty-second of the characters that are sought. */
function* findAnywhere(text: string, wildcards: Wildcards, from: number, work: Work): Steps<number | undefined> {
  const byPieces = wildcards.pieces.length * 8 <= wordsOf(wildcards.characters);
  return yield* byPieces ? findByPieces(text, wildcards, from, work) : findByMasks(text, wildcards.characters, from, work);
}
