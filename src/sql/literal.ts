import { type Fragment, fragmentOf } from './sql.ts';

const inText: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\0', '\\0'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
const inLiteral: ReadonlyMap<string, string> = new Map([...inText, ["'", "\\'"]]);

/** TRICKY: tens of millions of replacements at once make V8 end the process; no `catch` can prevent it. */
const maxEscapedUnits = 1024 * 1024;

/** A quoted text, or a number. Only for values of ours or the engine's; a caller's value must be a parameter. */
export function literal(value: string | number): Fragment {
  return fragmentOf([typeof value === 'number' ? String(value) : `'${escapeLiteral(value)}'`]);
}

/** The content between the quotes of a literal. */
export function escapeLiteral(text: string): string {
  return escaped(text, inLiteral);
}

/** A text for places without quotes, such as the value of a parameter. */
export function escapeText(text: string): string {
  return escaped(text, inText);
}

function escaped(text: string, by: ReadonlyMap<string, string>): string {
  const wellFormed = text.toWellFormed();
  if (wellFormed.length <= maxEscapedUnits) return escapedPiece(wellFormed, by);
  const pieces: string[] = [];
  for (let start = 0; start < wellFormed.length; start += maxEscapedUnits) {
    pieces.push(escapedPiece(wellFormed.slice(start, start + maxEscapedUnits), by));
  }
  return pieces.join('');
}

function escapedPiece(text: string, by: ReadonlyMap<string, string>): string {
  return text.replaceAll(/[\\'\0\b\f\n\r\t]/g, (character) => by.get(character) ?? character);
}
