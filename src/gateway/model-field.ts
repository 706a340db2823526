import { bytes, endOfString, lengthOfMark, skipWhitespace } from './json-bytes.ts';

/** Where the value of the top-level `model` key stands in a JSON text, quotes excluded. */
export interface ModelField {
  readonly start: number;
  readonly end: number;
  /** The name, escapes resolved: PHP writes `openai\/gpt-4o`. */
  readonly text: string;
}

const { quote, openBrace, closeBrace, openBracket, closeBracket, colon } = bytes;
const key = Buffer.from('model');
/** Without its first quote: in a JSON text that is so frequent that a search for it takes seven times as long. */
const endOfKey = Buffer.from('model"');
/** Bytes of a model's name, as written; what is longer is none. */
const longestName = 1024;

/**
 * Finds the top-level `model` string of a JSON object without parsing it; of several the last, as JSON parsers read it. The caller's bytes stay
 * as they are, also where they are no valid JSON: then nothing, or what looks like it, is found.
 */
export function findModelField(json: Buffer): ModelField | undefined {
  let at = skipWhitespace(json, lengthOfMark(json));
  if (json[at] !== openBrace) return undefined;
  let found: ModelField | undefined;
  let depth = 0;
  for (; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) {
      const end = endOfString(json, at + 1);
      if (end === -1) break;
      if (depth === 1 && isModelKey(json, at + 1, end)) {
        found = stringAfterColon(json, skipWhitespace(json, end + 1));
        // Nearly always there is no second one, and the rest, which may be long, need not be gone through byte by byte.
        if (found !== undefined && !mayComeAgain(json, found.end)) break;
      }
      at = end;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0) break;
    }
  }
  return found;
}

/** The JSON text with the model's name replaced; every other byte stays. */
export function replaceModel(json: Buffer, field: ModelField, model: string): Buffer {
  return Buffer.concat([json.subarray(0, field.start), Buffer.from(JSON.stringify(model).slice(1, -1)), json.subarray(field.end)]);
}

/** Whether `"model"` stands anywhere behind a place, be it as a key or not. */
function mayComeAgain(json: Buffer, from: number): boolean {
  let at = json.indexOf(endOfKey, from);
  while (at !== -1 && json[at - 1] !== quote) at = json.indexOf(endOfKey, at + endOfKey.length);
  return at !== -1;
}

function isModelKey(json: Buffer, start: number, end: number): boolean {
  if (end - start !== key.length) return false;
  for (let index = 0; index < key.length; index += 1) if (json[start + index] !== key[index]) return false;
  return json[skipWhitespace(json, end + 1)] === colon;
}

/** The string behind the colon of a key; undefined when its value is no string. */
function stringAfterColon(json: Buffer, colonAt: number): ModelField | undefined {
  const open = skipWhitespace(json, colonAt + 1);
  if (json[open] !== quote) return undefined;
  const start = open + 1;
  const end = endOfString(json, start);
  if (end === -1 || end - start > longestName) return undefined;
  const text = unescaped(json.toString('utf8', start, end));
  return text === undefined ? undefined : { start, end, text };
}

function unescaped(written: string): string | undefined {
  if (!written.includes('\\')) return written;
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return undefined;
  }
}
