import { commonOrder } from './common-order.ts';

/** A piece of a text; a changed one is not in the other text. */
export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

export interface TextDifference {
  readonly left: readonly Piece[];
  readonly right: readonly Piece[];
}

const most = 1_000_000;
/** Characters of the same text that stay on both sides of a change. */
const contextLength = 160;

/** What differs between two texts, word by word; long stretches that are the same are left out. */
export function textDifference(left: string, right: string): TextDifference {
  const [words, others] = [wordsOf(left), wordsOf(right)];
  const same = commonOrder(words, others, most);
  return {
    left: shortened(pieces(words, new Set(same.map(([one]) => one)))),
    right: shortened(pieces(others, new Set(same.map(([, other]) => other)))),
  };
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function pieces(words: readonly string[], same: ReadonlySet<number>): readonly Piece[] {
  const found: { text: string[]; isChanged: boolean }[] = [];
  for (const [at, word] of words.entries()) {
    const isChanged = !same.has(at);
    const last = found.at(-1);
    if (last?.isChanged === isChanged) last.text.push(word);
    else found.push({ text: [word], isChanged });
  }
  return found.map(({ text, isChanged }) => ({ text: text.join(''), isChanged }));
}

function shortened(all: readonly Piece[]): readonly Piece[] {
  return all.map((piece, at) => {
    const { text } = piece;
    if (piece.isChanged || text.length <= 3 * contextLength) return piece;
    const begin = at === 0 ? '' : text.slice(0, contextLength);
    const end = at === all.length - 1 ? '' : text.slice(-contextLength);
    return { text: `${begin} … ${end}`, isChanged: false };
  });
}
