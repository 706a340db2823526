import { printable } from '../../config/text-table.ts';

/** Codes of the terminal's own 16 colours and of its default one, which its theme makes readable. Yellow is not on many light ones. */
const codes = { bold: 1, dim: 2, red: 31, green: 32, magenta: 35, cyan: 36 } as const;

export type Colour = keyof typeof codes;

/** Colours a text, where there are colours. */
export type Paint = (colour: Colour, text: string) => string;

export function painter(isColoured: boolean): Paint {
  return (colour, text) => (isColoured && text !== '' ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text);
}

const colourOrBreak = new RegExp(`(\\u001b\\[(?:0|${Object.values(codes).join('|')})m|[\\n\\t])`, 'u');

/** Lines in which nothing moves the terminal's cursor but line breaks and tabs; the colours of {@link painter} stay. */
export function paintedLines(text: string): string {
  return text
    .split(colourOrBreak)
    .map((part) => (colourOrBreak.test(part) ? part : printable(part)))
    .join('');
}

/** `NO_COLOR` (no-color.org) and `FORCE_COLOR` decide; without them there are colours on a terminal. */
export function wantsColours(environment: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const { NO_COLOR: refused = '', FORCE_COLOR: forced, TERM: terminal } = environment;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return refused === '' && isTerminal && terminal !== 'dumb';
}

/** A failed status is red, one that the caller's side caused magenta. */
export function statusColour(status: number): Colour | undefined {
  if (status === 0 || status >= 500) return 'red';
  return status >= 400 ? 'magenta' : undefined;
}
