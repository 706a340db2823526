/** Stands for exactly one character, whichever. */
const anyCharacter = Symbol('_');

/** What stands between two `%`: text alone, or characters of which some are open. */
type Segment = string | readonly (string | typeof anyCharacter)[];

/**
 * Whether a text matches a pattern of SQL's LIKE as a whole: `%` is any run of characters, `_` is one character (a code point), `\%`, `\_` and
 * `\\` are the characters themselves. A backslash in front of anything else is a backslash.
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

/** The pattern cut at each `%`; one segment more than there are `%`. */
function segmentsOf(pattern: string): readonly Segment[] {
  const segments: (string | typeof anyCharacter)[][] = [[]];
  for (const [token] of pattern.matchAll(/\\[%_\\]|[^]/gu)) {
    if (token === '%') segments.push([]);
    else segments.at(-1)?.push(token === '_' ? anyCharacter : token.length === 2 && token.startsWith('\\') ? token.slice(1) : token);
  }
  return segments.map((parts) => (parts.includes(anyCharacter) ? parts : parts.join('')));
}

/** Where a segment that begins exactly here ends. */
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

/** Where the segment's first occurrence at or behind a place ends: the first one leaves the most to the segments behind it. */
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

/** Where the last so many characters of a text begin. */
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
