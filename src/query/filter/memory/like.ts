/** Any one character. */
const anyCharacter = Symbol('_');

/** The part between two `%`: text, or characters with wildcards. */
type Segment = string | readonly (string | typeof anyCharacter)[];

/**
 * Whether a whole text matches a LIKE pattern of SQL: `%` is any run of characters, `_` one character (a code point), `\%`, `\_` and `\\`
 * are literal. A backslash before anything else is literal.
 */
export function likeMatches(text: string, pattern: string): boolean {
  const segments = segmentsOf(pattern);
  const [first = '', ...others] = segments;
  const start = endOfMatch(text, first, 0);
  if (start === undefined) return false;
  const last = others.pop();
  if (last === undefined) return start === text.length;
  let position = start;
  for (const segment of others) {
    const next = findFrom(text, segment, position);
    if (next === undefined) return false;
    position = next;
  }
  return endsWith(text, last, position);
}

/** The pattern split at each `%`. */
function segmentsOf(pattern: string): readonly Segment[] {
  const segments: (string | typeof anyCharacter)[][] = [[]];
  for (const [token] of pattern.matchAll(/\\[%_\\]|[^]/gu)) {
    if (token === '%') segments.push([]);
    else segments.at(-1)?.push(token === '_' ? anyCharacter : token.length === 2 && token.startsWith('\\') ? token.slice(1) : token);
  }
  return segments.map((parts) => (parts.includes(anyCharacter) ? parts : parts.join('')));
}

/** The end of a segment that matches exactly here. */
function endOfMatch(text: string, segment: Segment, from: number): number | undefined {
  if (typeof segment === 'string') return text.startsWith(segment, from) ? from + segment.length : undefined;
  let position = from;
  for (const part of segment) {
    const character = characterAt(text, position);
    if (character === '' || (part !== anyCharacter && part !== character)) return undefined;
    position += character.length;
  }
  return position;
}

/** The end of the segment's first occurrence from here on: the first leaves the most to later segments. */
function findFrom(text: string, segment: Segment, from: number): number | undefined {
  if (typeof segment === 'string') {
    const found = text.indexOf(segment, from);
    return found === -1 ? undefined : found + segment.length;
  }
  for (let position = from; position < text.length; position += characterAt(text, position).length) {
    const end = endOfMatch(text, segment, position);
    if (end !== undefined) return end;
  }
  return undefined;
}

function endsWith(text: string, segment: Segment, from: number): boolean {
  if (typeof segment === 'string') return text.length - segment.length >= from && text.endsWith(segment);
  const start = startOfLast(text, segment.length);
  return start !== undefined && start >= from && endOfMatch(text, segment, start) === text.length;
}

/** The start of the last characters of a text. */
function startOfLast(text: string, characters: number): number | undefined {
  let position = text.length;
  for (let count = 0; count < characters; count += 1) {
    if (position === 0) return undefined;
    const before = text.codePointAt(position - 2);
    position -= before !== undefined && before > 0xffff ? 2 : 1;
  }
  return position;
}

function characterAt(text: string, position: number): string {
  const codePoint = text.codePointAt(position);
  return codePoint === undefined ? '' : String.fromCodePoint(codePoint);
}
