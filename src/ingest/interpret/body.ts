import { jsonExcess } from '../../model/json/bounds.ts';
import { mayLoseDigits, withFewMarkedNumbers, writeExactly } from '../../model/json/exact-numbers.ts';
import type { RecordedBody } from '../../model/record/request-record.ts';
import { parseJson, wellFormed } from '../../model/text.ts';
import { asUtf8 } from '../../model/wide-text.ts';
import { codingsOf, decodeCodings } from '../../platform/http/content-decoding.ts';
import { isCanonicalJson } from './canonical-json.ts';

/**
 * Max bytes and max expansion of a decoded body. Beyond them it counts as a decompression bomb and is recorded as received. JSON of
 * models, also as a stream of small events, expands about 10 times, at most 40 times.
 */
const maxDecodedBytes = 64 * 1024 * 1024;
const maxExpansion = 64;
/** Any body may expand to this size. */
const alwaysDecodedBytes = 1024 * 1024;

/** Decodes a `Content-Encoding`. @returns undefined for an unknown one, invalid bytes, or a result beyond the bounds. */
export function decodeContent(bytes: Uint8Array, contentEncoding: string | undefined): Buffer | undefined {
  const codings = codingsOf(contentEncoding);
  if (codings === undefined) return undefined;
  const maxBytes = Math.min(maxDecodedBytes, Math.max(alwaysDecodedBytes, bytes.length * maxExpansion));
  try {
    return decodeCodings(bytes, codings, maxBytes);
  } catch {
    return undefined;
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const looseUtf8 = new TextDecoder('utf-8');
const textual = /^(?:text\/|application\/(?:[\w.+-]*json|[\w.+-]*xml|x-ndjson|x-www-form-urlencoded|graphql)\b)/i;

/** Text of decoded bytes; undefined when they are not text. With a textual content type, invalid UTF-8 is replaced. */
export function textOfBytes(bytes: Buffer, contentType: string): string | undefined {
  if (textual.test(contentType)) return looseUtf8.decode(bytes);
  try {
    const text = strictUtf8.decode(bytes);
    return text.includes('\u0000') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Converts text in UTF-16 or UTF-32 to UTF-8; other bytes stay. */
export function inUtf8(decoded: Buffer, contentType: string): Buffer {
  return asUtf8(decoded, contentType, textual.test(contentType));
}

/** A body's text, undefined for binary, and its JSON value, undefined for anything else. */
export interface ReadBody {
  readonly text: string | undefined;
  readonly parsed: unknown;
  /** It is nested too deeply, or costs too much, to be parsed. */
  readonly isExcessive: boolean;
}

export function readBody(bytes: Uint8Array, contentEncoding: string | undefined, contentType: string): ReadBody {
  const decoded = decodeContent(bytes, contentEncoding);
  return readUtf8(decoded === undefined ? undefined : inUtf8(decoded, contentType), contentType);
}

/** @param utf8 undefined where the body could not be decoded. */
export function readUtf8(utf8: Buffer | undefined, contentType: string): ReadBody {
  const text = utf8 === undefined ? undefined : textOfBytes(utf8, contentType);
  const parsed = text === undefined ? undefined : parseJson(text);
  return { text, parsed, isExcessive: parsed === undefined && text !== undefined && jsonExcess(text) !== undefined };
}

/** The recorded form of a body: JSON as `JSON.stringify` writes it with the digits that came, else text, else base64 of the bytes as received. */
export function recordBody(bytes: Uint8Array, { text, parsed }: Omit<ReadBody, 'isExcessive'>, contentType: string): RecordedBody {
  if (bytes.length === 0) return { kind: 'absent' };
  if (text === undefined) return { kind: 'binary', base64: Buffer.from(bytes).toString('base64'), contentType };
  return parsed === undefined ? { kind: 'text', text: wellFormed(text) } : recordJsonText(text, parsed);
}

/**
 * JSON as `JSON.stringify` writes it, with the digits of its text; plain text where very many numbers would lose theirs.
 * @param parsed its value.
 */
function recordJsonText(text: string, parsed: unknown): RecordedBody {
  if (isCanonicalJson(text)) return { kind: 'json', text };
  if (!mayLoseDigits(text)) return recordText(text, parsed);
  const marked = withFewMarkedNumbers(text, 'digits');
  return marked === undefined ? { kind: 'text', text: wellFormed(text) } : recordText(text, JSON.parse(marked));
}

/** @param value of the text, with marked numbers where it has some; undefined when it is not JSON. */
export function recordText(text: string, value: unknown): RecordedBody {
  return recordJson(value) ?? { kind: 'text', text: wellFormed(text) };
}

/**
 * @returns undefined without a value, and for JSON too large to be parsed again: a value assembled from several JSON texts may be deeper
 * than each of them.
 */
export function recordJson(value: unknown): RecordedBody | undefined {
  const json = value === undefined ? undefined : written(value);
  return json === undefined || jsonExcess(json) !== undefined ? undefined : { kind: 'json', text: json };
}

/** TRICKY: `JSON.stringify` throws where it has no stack, and where the text would be longer than a string may be. */
function written(value: unknown): string | undefined {
  try {
    return writeExactly(value);
  } catch {
    return undefined;
  }
}
