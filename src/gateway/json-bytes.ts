/** The bytes that shape a JSON text. */
export const bytes = {
  quote: 0x22,
  backslash: 0x5c,
  openBrace: 0x7b,
  closeBrace: 0x7d,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  colon: 0x3a,
  comma: 0x2c,
} as const;

/** A part of a JSON text, `end` excluded. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Index of the quote that ends a string whose content starts at `start`, −1 when there is none. */
export function endOfString(json: Buffer, start: number): number {
  let end = json.indexOf(bytes.quote, start);
  while (end !== -1 && isEscaped(json, start, end)) end = json.indexOf(bytes.quote, end + 1);
  return end;
}

function isEscaped(json: Buffer, start: number, at: number): boolean {
  let backslashes = 0;
  while (at - 1 - backslashes >= start && json[at - 1 - backslashes] === bytes.backslash) backslashes += 1;
  return backslashes % 2 === 1;
}

/** Index of the next byte that is not white space. */
export function skipWhitespace(json: Buffer, start: number): number {
  let at = start;
  while (isWhitespace(json[at])) at += 1;
  return at;
}

function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** A member of an object: its name as it is written, without the quotes, and its value. */
export interface Member {
  readonly name: Span;
  readonly value: Span;
}

/**
 * The members of an object, in their order.
 * @param json well-formed JSON.
 * @param open index of the object's brace.
 */
export function membersOf(json: Buffer, open: number): Member[] {
  const members: Member[] = [];
  let at = skipWhitespace(json, open + 1);
  while (json[at] === bytes.quote) {
    const keyEnd = endOfString(json, at + 1);
    const start = skipWhitespace(json, skipWhitespace(json, keyEnd + 1) + 1);
    const end = endOfValue(json, start);
    members.push({ name: { start: at + 1, end: keyEnd }, value: { start, end } });
    at = skipWhitespace(json, end);
    if (json[at] === bytes.comma) at = skipWhitespace(json, at + 1);
  }
  return members;
}

/**
 * Where the value of a member stands, the last one of that name, as JSON parsers read it.
 * @param json well-formed JSON.
 * @param open index of the object's brace.
 * @returns undefined when the name does not stand there in these very bytes.
 */
export function findMember(json: Buffer, open: number, name: string): Span | undefined {
  const wanted = Buffer.from(name);
  return membersOf(json, open).findLast((member) => bytesAt(json, member.name).equals(wanted))?.value;
}

/** What stands in a part. */
export function bytesAt(json: Buffer, { start, end }: Span): Buffer {
  return json.subarray(start, end);
}

function endOfValue(json: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === bytes.quote) at = endOfString(json, at + 1);
    else if (byte === bytes.openBrace || byte === bytes.openBracket) depth += 1;
    else if (byte === bytes.closeBrace || byte === bytes.closeBracket) {
      // The end of what surrounds a number or a word.
      if (depth === 0) return at;
      depth -= 1;
    } else if (depth === 0 && (byte === bytes.comma || isWhitespace(byte))) return at;
    else continue;
    if (depth === 0) return at + 1;
  }
  return json.length;
}
