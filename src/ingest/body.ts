import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { RecordedBody } from '../model/request-record.ts';
import { parseJson, wellFormed } from '../model/text.ts';
import { isAsWritten } from './written-json.ts';

/** A body that expands to more than this is not decoded: it would be a decompression bomb. */
const mostDecodedBytes = 64 * 1024 * 1024;

type Decoder = (bytes: Uint8Array) => Buffer;

/** A body that was cut off decodes as far as it came. */
const zlibOptions = { maxOutputLength: mostDecodedBytes, finishFlush: constants.Z_SYNC_FLUSH };
const identity: Decoder = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const gunzip: Decoder = (bytes) => gunzipSync(bytes, zlibOptions);
const decoders: ReadonlyMap<string, Decoder> = new Map([
  ['identity', identity],
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['br', (bytes) => brotliDecompressSync(bytes, { maxOutputLength: mostDecodedBytes, finishFlush: constants.BROTLI_OPERATION_FLUSH })],
  ['deflate', inflateEither],
]);

/** TRICKY: servers send `deflate` with and without the zlib header. */
function inflateEither(bytes: Uint8Array): Buffer {
  try {
    return inflateSync(bytes, zlibOptions);
  } catch {
    return inflateRawSync(bytes, zlibOptions);
  }
}

/** Undoes a `Content-Encoding`. @returns undefined when it is not known or the bytes are not in it. */
export function decodeContent(bytes: Uint8Array, contentEncoding: string | undefined): Buffer | undefined {
  const codings = (contentEncoding ?? 'identity')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '');
  try {
    let decoded = identity(bytes);
    for (const coding of codings.toReversed()) {
      const decode = decoders.get(coding);
      if (decode === undefined) return undefined;
      decoded = decoded.length === 0 ? decoded : decode(decoded);
    }
    return decoded;
  } catch {
    return undefined;
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const looseUtf8 = new TextDecoder('utf-8');
const textual = /^(?:text\/|application\/(?:[\w.+-]*json|[\w.+-]*xml|x-ndjson|x-www-form-urlencoded|graphql)\b)/i;

/** Text of decoded bytes; undefined when they are not text. A text cut in the middle of a character stays text. */
export function textOfBytes(bytes: Buffer, contentType: string): string | undefined {
  if (textual.test(contentType)) return looseUtf8.decode(bytes);
  try {
    const text = strictUtf8.decode(bytes);
    return text.includes('\u0000') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** A body's text, undefined when its bytes are none, and what that parses to, undefined when it is no JSON. */
export interface ReadBody {
  readonly text: string | undefined;
  readonly parsed: unknown;
}

/** Decodes and parses a body. */
export function readBody(bytes: Uint8Array, contentEncoding: string | undefined, contentType: string): ReadBody {
  const decoded = decodeContent(bytes, contentEncoding);
  const text = decoded === undefined ? undefined : textOfBytes(decoded, contentType);
  return { text, parsed: text === undefined ? undefined : parseJson(text) };
}

/** A body as it is recorded: JSON where it is JSON, as `JSON.stringify` writes it, else text, else base64 of the bytes as they passed. */
export function recordBody(bytes: Uint8Array, { text, parsed }: ReadBody, contentType: string): RecordedBody {
  if (bytes.length === 0) return { kind: 'absent' };
  if (text === undefined) return { kind: 'binary', base64: Buffer.from(bytes).toString('base64'), contentType };
  return parsed !== undefined && isAsWritten(text) ? { kind: 'json', text } : recordText(text, parsed);
}

/** A text with what it parses to, undefined when it is no JSON. */
export function recordText(text: string, parsed: unknown): RecordedBody {
  return recordJson(parsed) ?? { kind: 'text', text: wellFormed(text) };
}

/** A value as JSON. @returns undefined where there is none, or where it is nested too deeply to be written. */
export function recordJson(parsed: unknown): RecordedBody | undefined {
  const json = parsed === undefined ? undefined : stringify(parsed);
  return json === undefined ? undefined : { kind: 'json', text: json };
}

/** TRICKY: `JSON.stringify` overflows the stack on nesting that `JSON.parse` still reads. */
function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
