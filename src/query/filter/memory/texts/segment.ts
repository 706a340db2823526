/** In place of a code point: any one character. */
export const anyCharacter = -1;

/** Literal characters between wildcards. */
export interface LiteralPiece {
  readonly text: string;
  /** Characters in front of it. */
  readonly at: number;
}

/** A text with wildcards, each for one character. */
export interface Wildcards {
  /** Code points. */
  readonly characters: Int32Array;
  readonly pieces: readonly LiteralPiece[];
  /** The longest piece; undefined: there are only wildcards. */
  readonly longest: LiteralPiece | undefined;
}

export function wildcardsOf(text: readonly string[], wildcardsAt: ReadonlySet<number>): Wildcards {
  const characters = Int32Array.from(text, (character, index) => (wildcardsAt.has(index) ? anyCharacter : (character.codePointAt(0) ?? 0)));
  const pieces: { readonly text: string[]; readonly at: number }[] = [];
  for (const [index, character] of text.entries()) {
    if (wildcardsAt.has(index)) continue;
    if (index === 0 || wildcardsAt.has(index - 1)) pieces.push({ text: [], at: index });
    pieces.at(-1)?.text.push(character);
  }
  const joined = pieces.map((piece) => ({ text: piece.text.join(''), at: piece.at }));
  const [longest] = joined.toSorted((left, right) => right.text.length - left.text.length);
  return { characters, pieces: joined, longest };
}
