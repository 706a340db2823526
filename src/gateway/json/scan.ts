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

/** Length of the UTF-8 byte order mark that some clients send; 0 without one. */
export function byteOrderMarkBytes(json: Buffer): number {
  return json[0] === 0xef && json[1] === 0xbb && json[2] === 0xbf ? 3 : 0;
}

/** `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Bytes of a string that are compared one by one before `indexOf` takes over. TRICKY: starting `indexOf` costs as much as 60 bytes; a body
 * of short strings, or of escaped quotes, took fifteen times as long with it alone.
 */
const nearBytes = 64;

/** Index of the quote that ends a string whose content starts at `start`; −1 without one. */
export function endOfString(json: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const near = Math.min(json.length, at + nearBytes);
    while (at < near) {
      const byte = json[at];
      if (byte === bytes.quote) return at;
      at += byte === bytes.backslash ? 2 : 1;
    }
    if (at >= json.length) return -1;
    const end = json.indexOf(bytes.quote, at);
    if (end === -1 || !isEscaped(json, at, end)) return end;
    at = end + 1;
  }
}

function isEscaped(json: Buffer, start: number, at: number): boolean {
  let backslashes = 0;
  while (at - 1 - backslashes >= start && json[at - 1 - backslashes] === bytes.backslash) backslashes += 1;
  return backslashes % 2 === 1;
}

export function skipWhitespace(json: Buffer, start: number): number {
  let at = start;
  while (isWhitespace(json[at])) at += 1;
  return at;
}

function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** Start of the JSON value, after the byte order mark and white space. */
export function startOfValue(json: Buffer): number {
  return skipWhitespace(json, byteOrderMarkBytes(json));
}

/** The name is as written, without the quotes. */
export interface Member {
  readonly name: Span;
  readonly value: Span;
}

/** Members in order; `end` is after the closing brace. */
export interface ObjectSpan {
  readonly members: readonly Member[];
  readonly end: number;
}

/** An object or a list with more is not read: the positions of millions take seconds, and many times the body's memory. */
const maxMembers = 10_000;

/**
 * Reads the object that starts at `open`. Values are skipped, not validated: only brackets and strings count.
 * @param json any bytes.
 * @returns undefined if no complete object starts there, or one with more than {@link maxMembers}.
 */
export function objectAt(json: Buffer, open: number): ObjectSpan | undefined {
  if (json[open] !== bytes.openBrace) return undefined;
  const members: Member[] = [];
  let at = skipWhitespace(json, open + 1);
  if (json[at] === bytes.closeBrace) return { members, end: at + 1 };
  for (;;) {
    const member = memberAt(json, at);
    if (member === undefined || members.length === maxMembers) return undefined;
    members.push(member);
    at = skipWhitespace(json, member.value.end);
    if (json[at] === bytes.closeBrace) return { members, end: at + 1 };
    if (json[at] !== bytes.comma) return undefined;
    at = skipWhitespace(json, at + 1);
  }
}

function memberAt(json: Buffer, at: number): Member | undefined {
  const nameEnd = json[at] === bytes.quote ? endOfString(json, at + 1) : -1;
  if (nameEnd === -1) return undefined;
  const colon = skipWhitespace(json, nameEnd + 1);
  if (json[colon] !== bytes.colon) return undefined;
  const start = skipWhitespace(json, colon + 1);
  const end = endOfValue(json, start);
  return end === start ? undefined : { name: { start: at + 1, end: nameEnd }, value: { start, end } };
}

/**
 * Finds the value of a member; the last of that name wins, as in JSON parsers.
 * @param json any bytes.
 * @param open index of the object's brace.
 * @returns undefined if the name is not there in exactly these bytes.
 */
export function findMember(json: Buffer, open: number, name: string): Span | undefined {
  const nameBytes = Buffer.from(name);
  return objectAt(json, open)?.members.findLast((member) => bytesAt(json, member.name).equals(nameBytes))?.value;
}

/**
 * The elements of the list that starts at `open`. Values are skipped, as in {@link objectAt}.
 * @param json any bytes.
 * @returns whether the list is closed, with at most {@link maxMembers}.
 */
export function* elementsAt(json: Buffer, open: number): Generator<Span, boolean> {
  if (json[open] !== bytes.openBracket) return false;
  let start = skipWhitespace(json, open + 1);
  if (json[start] === bytes.closeBracket) return true;
  for (let count = 0; count < maxMembers; count += 1) {
    const end = endOfValue(json, start);
    if (end === start) return false;
    yield { start, end };
    const next = skipWhitespace(json, end);
    if (json[next] === bytes.closeBracket) return true;
    if (json[next] !== bytes.comma) return false;
    start = skipWhitespace(json, next + 1);
  }
  return false;
}

export function bytesAt(json: Buffer, { start, end }: Span): Buffer {
  return json.subarray(start, end);
}

function endOfValue(json: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === bytes.quote) {
      const end = endOfString(json, at + 1);
      if (end === -1) return json.length;
      at = end;
    } else if (byte === bytes.openBrace || byte === bytes.openBracket) depth += 1;
    else if (byte === bytes.closeBrace || byte === bytes.closeBracket) {
      // A number or a literal ends at the bracket that closes its parent.
      if (depth === 0) return at;
      depth -= 1;
    } else if (depth === 0 && (byte === bytes.comma || isWhitespace(byte))) return at;
    else continue;
    if (depth === 0) return at + 1;
  }
  return json.length;
}
