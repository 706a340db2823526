import { Lexer, type Token } from 'marked';

/** A longer text is shown as it is: a reader of markdown may need the square of its length. */
const maxLength = 10_000;
/** No writer nests so deeply, and each level costs a reader the whole text once more. */
const nested = /(?:[>*_[\](~!][ \t]*){40}/;

/** The parts of a text in markdown; undefined: it is shown as it is. */
export function readMarkdown(text: string): readonly Token[] | undefined {
  if (text.length > maxLength || nested.test(text)) return undefined;
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
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
