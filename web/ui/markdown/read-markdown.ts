import { Lexer, type Token, type Tokens } from 'marked';
import { closesCode, piecesOf } from './pieces.ts';

/** Read at once: a reader of markdown may need the square of a text's length. */
const pieceLength = 10_000;
/** A longer text is shown as it is. */
export const maxLength = 200_000;
/** No writer nests so deeply, and each level costs a reader the whole text once more. */
const nested = /(?:[>*_[\](~!][ \t]*){40}/;

/** The parts of a text in markdown; undefined: it is shown as it is. */
export function readMarkdown(text: string): readonly Token[] | undefined {
  if (text.length > maxLength || nested.test(text)) return undefined;
  return piecesOf(text, pieceLength).flatMap(read);
}

function read(piece: string): readonly Token[] {
  if (piece.length > pieceLength) return [asWritten(piece)];
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(piece);
  } catch (error) {
    if (error instanceof RangeError) return [asWritten(piece)];
    throw error;
  }
}

/** One paragraph or code that is longer than a piece. */
function asWritten(piece: string): Tokens.Code | Tokens.Paragraph {
  const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\n`]*)\n/.exec(piece);
  if (fence === null) return { type: 'paragraph', raw: piece, text: piece, tokens: [{ type: 'text', raw: piece, text: piece }] };
  const [opening, marks = ''] = fence;
  const lines = piece.slice(opening.length).trimEnd().split('\n');
  const inside = closesCode(lines.at(-1) ?? '', marks) ? lines.slice(0, -1) : lines;
  return { type: 'code', raw: piece, text: inside.join('\n'), lang: fence[2]?.trim() ?? '' };
}

/** An address that a click may open; any other is only text. */
export function safeAddress(address: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)/i.test(address) ? address : undefined;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: '\u00A0' };

/** A text without the references that a browser would read in markup. */
export function plainText(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (whole, name: string) => entities[name] ?? whole);
}
