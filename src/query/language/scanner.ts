import { SearchFault } from './fault.ts';

const space = /\s/;
/** Characters that end an unquoted name or value. */
const delimiter = /[\s()"]/;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Reads a search character by character. Positions are UTF-16 code units. */
export class Scanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  skipSpace(): void {
    while (!this.isAtEnd && space.test(this.peek())) this.at += 1;
  }

  /** The character `ahead` of the next one; empty behind the end. */
  peek(ahead = 0): string {
    return this.text[this.at + ahead] ?? '';
  }

  /** Takes this text when it comes next. */
  take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  /** Takes a word of the language when it comes next as a whole word. */
  takeKeyword(word: string): boolean {
    const behind = this.text[this.at + word.length];
    if (behind !== undefined && !delimiter.test(behind)) return false;
    return this.take(word);
  }

  /** Characters up to a space, a quotation mark, a parenthesis, or one of `ends`. */
  bare(ends = ''): string {
    const from = this.at;
    while (!this.isAtEnd && !delimiter.test(this.peek()) && !ends.includes(this.peek())) this.at += 1;
    return this.text.slice(from, this.at);
  }

  /** A text in quotation marks, of which the first comes next. @throws SearchFault when the last is missing. */
  quoted(): string {
    const from = this.at;
    this.at += 1;
    let text = '';
    while (!this.isAtEnd) {
      const character = this.peek();
      this.at += 1;
      if (character === '"') return text;
      if (character !== '\\') {
        text += character;
        continue;
      }
      const escaped = this.peek();
      this.at += 1;
      text += escapes[escaped] ?? escaped;
    }
    throw new SearchFault('The closing quotation mark is missing.', from, this.text.length);
  }
}

/** A text as {@link Scanner.quoted} reads it. */
export function quote(text: string): string {
  const escaped = text
    .replaceAll(/[\\"]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`);
  return `"${escaped.replaceAll('\t', String.raw`\t`)}"`;
}

/** Whether a text can stand without quotation marks. */
export function isBare(text: string): boolean {
  return text !== '' && !/[\s()"\\:*]/.test(text);
}
