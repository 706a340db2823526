/** A JSON string in a body: the offset of its first character, from 1, and its length, both in bytes of UTF-8 without the quotes. */
export type Span = readonly [start: number, bytes: number];

/** A body with more JSON strings is not searched. */
const maxStrings = 100_000;
const maxSpans = 10_000;
/** A text may begin behind where it ends: clients may write `system` after `messages`. */
const maxPasses = 3;
const backslash = 0x5c;
const newline = 0x0a;

/**
 * Finds the JSON strings of a body whose values, joined by newlines, are a text. A conversation is stored once then: the spans replace the
 * text, and a query builds it from the body.
 * @returns undefined when the text is not made of whole strings of the body.
 */
export function spansOf(text: string, body: string): readonly Span[] | undefined {
  const spans: (readonly [start: number, end: number])[] = [];
  let matched = 0;
  let strings = 0;
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const found = spans.length;
    for (let open = body.indexOf('"'); open !== -1;) {
      const close = endOfString(body, open + 1);
      strings += 1;
      if (close === -1 || strings > maxStrings) return undefined;
      const length = lengthOfMatch(text, matched, { body, start: open + 1, end: close });
      if (length > 0) {
        if (spans.length === maxSpans) return undefined;
        spans.push([open + 1, close]);
        matched += length;
        if (matched === text.length) return inBytes(spans, body);
        // Behind the newline.
        matched += 1;
      }
      open = body.indexOf('"', close + 1);
    }
    if (spans.length === found) return undefined;
  }
  return undefined;
}

/** @returns the index of the quote that ends a JSON string, -1 without one. */
function endOfString(body: string, start: number): number {
  for (let quote = body.indexOf('"', start); quote !== -1; quote = body.indexOf('"', quote + 1)) {
    let first = quote;
    while (first > start && body.charCodeAt(first - 1) === backslash) first -= 1;
    if ((quote - first) % 2 === 0) return quote;
  }
  return -1;
}

/** A JSON string without its quotes. */
interface JsonString {
  readonly body: string;
  readonly start: number;
  readonly end: number;
}

/** @returns the length of the string's value where it is the next line or lines of the text, else 0. */
function lengthOfMatch(text: string, at: number, { body, start, end }: JsonString): number {
  // Most strings differ in their first character, and need neither a copy nor parsing.
  const first = body.charCodeAt(start);
  if (start === end || (first !== backslash && first !== text.charCodeAt(at))) return 0;
  const raw = body.slice(start, end);
  const value = raw.includes('\\') ? parsed(raw) : raw;
  const until = at + value.length;
  // Equal slices are compared as memory, which is several times as fast as startsWith.
  const isNext = (until === text.length || text.charCodeAt(until) === newline) && text.slice(at, until) === value;
  return isNext ? value.length : 0;
}

function parsed(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return '';
  }
}

function inBytes(spans: readonly (readonly [start: number, end: number])[], body: string): readonly Span[] {
  let [unit, byte] = [0, 1];
  return spans.map(([start, end]) => {
    if (start < unit) [unit, byte] = [0, 1];
    byte += Buffer.byteLength(body.slice(unit, start));
    const bytes = Buffer.byteLength(body.slice(start, end));
    const span = [byte, bytes] as const;
    [unit, byte] = [end, byte + bytes];
    return span;
  });
}
