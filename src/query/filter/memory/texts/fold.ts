import type { Steps, Work } from './work.ts';

/** Folded in one go; some scripts take thirty nanoseconds a character. */
const pieceCharacters = 64 * 1024;
const unitsPerCharacter = 8;

/**
 * Characters between which a text may be cut before it is folded. TRICKY: a letter may fold by its neighbours (a Greek sigma at a word's end);
 * these end a word, and have no case.
 */
const wordEnd = /[\n ",0-9{}]/;

/**
 * Case-folded text. TRICKY: a letter may fold by its neighbours and into several (a dotted capital I). The store folds by the same tables of
 * Unicode; a test compares both for every character.
 */
export function* folded(text: string, work: Work): Steps<string> {
  if (text.length <= pieceCharacters) {
    if (work.spend(text.length * unitsPerCharacter)) yield;
    return text.toLowerCase();
  }
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = endOfPiece(text, start);
    if (work.spend((end - start) * unitsPerCharacter)) yield;
    pieces.push(text.slice(start, end).toLowerCase());
    start = end;
  }
  return pieces.join('');
}

/** Behind a character that ends a word, at or after the wanted end. */
function endOfPiece(text: string, start: number): number {
  for (let end = start + pieceCharacters; end < text.length; end += 1) if (wordEnd.test(text.charAt(end))) return end + 1;
  return text.length;
}
