import { bytes, endOfString, byteOrderMarkBytes, skipWhitespace } from './scan.ts';

/** Position of the top-level `model` value in a JSON text, without its quotes. */
export interface ModelField {
  readonly start: number;
  readonly end: number;
  /** Decoded: PHP writes `openai\/gpt-4o`. */
  readonly text: string;
}

const { quote, openBrace, closeBrace, openBracket, closeBracket, colon } = bytes;
const key = Buffer.from('model');
/** Without the first quote, which is so frequent in JSON that searching for it takes seven times as long. */
const endOfKey = Buffer.from('model"');
/** Bytes of a model's name as written; a longer text is not taken for one. */
const maxNameBytes = 1024;

/** Results for larger bodies are remembered, so that each is scanned once. */
const rememberedMinBytes = 64 * 1024;
const remembered = new WeakMap<Buffer, { readonly field: ModelField | undefined }>();

/**
 * Finds the top-level `model` string of a JSON object without parsing it; the last of several wins, as in JSON parsers. In invalid JSON it
 * finds nothing, or whatever looks like it.
 */
export function findModelField(json: Buffer): ModelField | undefined {
  if (json.length < rememberedMinBytes) return searchModelField(json);
  let known = remembered.get(json);
  if (known === undefined) {
    known = { field: searchModelField(json) };
    remembered.set(json, known);
  }
  return known.field;
}

/** Keeps a result found elsewhere. */
export function rememberModelField(json: Buffer, field: ModelField | undefined): void {
  remembered.set(json, { field });
}

function searchModelField(json: Buffer): ModelField | undefined {
  const endOfLast = endOfLastKey(json);
  return endOfLast === -1 ? undefined : stringAfterColon(json, skipWhitespace(json, endOfLast + 1));
}

/** Index of the closing quote of the last top-level `model` key; −1 without one. */
function endOfLastKey(json: Buffer): number {
  let at = skipWhitespace(json, byteOrderMarkBytes(json));
  if (json[at] !== openBrace) return -1;
  let last = -1;
  let depth = 0;
  for (; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) {
      const end = endOfString(json, at + 1);
      if (end === -1) break;
      if (depth === 1 && isModelKey(json, at + 1, end)) {
        // A second key is rare; without one, the rest needs no byte-by-byte scan.
        if (last === -1 && !mayOccurAgain(json, end + 1)) return end;
        last = end;
      }
      at = end;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0) break;
    }
  }
  return last;
}

/** After this many searches a byte-by-byte scan is faster. */
const maxSearches = 1000;

function mayOccurAgain(json: Buffer, from: number): boolean {
  let at = json.indexOf(endOfKey, from);
  for (let searches = 1; at !== -1 && json[at - 1] !== quote; searches += 1) {
    if (searches === maxSearches) return true;
    at = json.indexOf(endOfKey, at + endOfKey.length);
  }
  return at !== -1;
}

function isModelKey(json: Buffer, start: number, end: number): boolean {
  if (end - start !== key.length) return false;
  for (let index = 0; index < key.length; index += 1) if (json[start + index] !== key[index]) return false;
  return json[skipWhitespace(json, end + 1)] === colon;
}

function stringAfterColon(json: Buffer, colonAt: number): ModelField | undefined {
  const open = skipWhitespace(json, colonAt + 1);
  if (json[open] !== quote) return undefined;
  const start = open + 1;
  const end = endOfString(json, start);
  if (end === -1 || end - start > maxNameBytes) return undefined;
  const text = unescaped(json.toString('utf8', start, end));
  return text === undefined ? undefined : { start, end, text };
}

function unescaped(raw: string): string | undefined {
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return undefined;
  }
}
