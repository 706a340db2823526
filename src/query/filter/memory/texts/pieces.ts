import { charactersFrom, indexAfter } from './characters.ts';
import { failuresOf, nextMatched, unitsPerCharacter } from './find.ts';
import type { Steps, Work } from './work.ts';
import type { Wildcards } from './segment.ts';

/** Places that are looked at together. */
const windowCharacters = 64 * 1024;

interface SoughtPiece {
  readonly characters: Int32Array;
  readonly failures: Int32Array;
  /** Characters in front of it. */
  readonly at: number;
}

/** Keeps the places at which each piece stands where it should. @returns the end of the first match from a place on. */
export function* findByPieces(text: string, { characters, pieces }: Wildcards, from: number, work: Work): Steps<number | undefined> {
  const sought: SoughtPiece[] = [];
  for (const piece of pieces) {
    const own = charactersFrom(piece.text, 0, piece.text.length);
    sought.push({ characters: own, failures: yield* failuresOf(own, work), at: piece.at });
  }
  const positions = Math.max(windowCharacters, 4 * characters.length);
  for (let start: number | undefined = from; start !== undefined; start = indexAfter(text, start, positions)) {
    const looked = charactersFrom(text, start, positions + characters.length - 1);
    if (work.spend(looked.length * unitsPerCharacter)) yield;
    if (looked.length < characters.length) return undefined;
    const isPossible = new Uint8Array(looked.length - characters.length + 1).fill(1);
    for (const piece of sought) yield* keepPlaces(isPossible, looked, piece, work);
    const first = isPossible.indexOf(1);
    if (first !== -1) return indexAfter(text, start, first + characters.length);
  }
  return undefined;
}

function* keepPlaces(isPossible: Uint8Array, looked: Int32Array, { characters, failures, at }: SoughtPiece, work: Work): Steps<void> {
  const end = isPossible.length + at + characters.length - 1;
  let matched = 0;
  for (let index = at; index < end; index += 1) {
    matched = nextMatched(characters, failures, matched, looked[index] ?? 0);
    const place = index + 1 - characters.length - at;
    if (place >= 0 && matched !== characters.length) isPossible[place] = 0;
    if (index % windowCharacters === 0 && work.spend(windowCharacters * unitsPerCharacter)) yield;
  }
}
