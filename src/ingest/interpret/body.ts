import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { jsonExcess } from '../../model/json/bounds.ts';
import type { RecordedBody } from '../../model/record/request-record.ts';
import { parseJson, wellFormed } from '../../model/text.ts';
import { asUtf8 } from './wide-text.ts';
import { isCanonicalJson } from './canonical-json.ts';

/** Codings of one body; clients of HTTP stop at as many. */
const maxCodings = 5;
/**
 * What a body may become when it is decoded: beyond this it would be a decompression bomb, and is kept as the bytes that passed. JSON of models, also
 * as a stream of small events, becomes some ten times as large, at most forty.
 */
const maxDecodedBytes = 64 * 1024 * 1024;
const maxExpansion = 64;
/** A small body may become so large whatever its size. */
const alwaysDecodedBytes = 1024 * 1024;

type Decoder = (bytes: Uint8Array, maxOutputLength: number) => Buffer;

/** A body that was cut off decodes as far as it came. */
const finishFlush = constants.Z_SYNC_FLUSH;
const identity: Decoder = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const gunzip: Decoder = (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength, finishFlush });
const decoders: ReadonlyMap<string, Decoder> = new Map([
  ['identity', identity],
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['br', (bytes, maxOutputLength) => brotliDecompressSync(bytes, { maxOutputLength, finishFlush: constants.BROTLI_OPERATION_FLUSH })],
  ['deflate', inflateEither],
]);

/** TRICKY: servers send `deflate` with and without the zlib header. */
function inflateEither(bytes: Uint8Array, maxOutputLength: number): Buffer {
  try {
    return inflateSync(bytes, { maxOutputLength, finishFlush });
  } catch {
    return inflateRawSync(bytes, { maxOutputLength, finishFlush });
  }
}

/** Undoes a `Content-Encoding`. @returns undefined when it is not known, the bytes are not in it, or it is more than the bounds allow. */
export function decodeContent(bytes: Uint8Array, contentEncoding: string | undefined): Buffer | undefined {
  const codings = (contentEncoding ?? 'identity')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '');
  if (codings.length > maxCodings) return undefined;
  const maxBytes = Math.min(maxDecodedBytes, Math.max(alwaysDecodedBytes, bytes.length * maxExpansion));
  try {
    let decoded = identity(bytes, maxBytes);
    for (const coding of codings.toReversed()) {
      const decode = decoders.get(coding);
      if (decode === undefined) return undefined;
      decoded = decoded.length === 0 ? decoded : decode(decoded, maxBytes);
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

/** Bytes as UTF-8 where they are a text in another form of Unicode. */
export function inUtf8(decoded: Buffer, contentType: string): Buffer {
  return asUtf8(decoded, contentType, textual.test(contentType));
}

/** A body's text, undefined when its bytes are none, and what that parses to, undefined when it is no JSON. */
export interface ReadBody {
  readonly text: string | undefined;
  readonly parsed: unknown;
  /** It is deeper, or would cost more, than what is parsed. */
  readonly isExcessive: boolean;
}

/** Decodes and parses a body. */
export function readBody(bytes: Uint8Array, contentEncoding: string | undefined, contentType: string): ReadBody {
  const decoded = decodeContent(bytes, contentEncoding);
  const text = decoded === undefined ? undefined : textOfBytes(inUtf8(decoded, contentType), contentType);
  const parsed = text === undefined ? undefined : parseJson(text);
  return { text, parsed, isExcessive: parsed === undefined && text !== undefined && jsonExcess(text) !== undefined };
}

/** A body as it is recorded: JSON where it is JSON, as `JSON.stringify` writes it, else text, else base64 of the bytes as they passed. */
export function recordBody(bytes: Uint8Array, { text, parsed }: Omit<ReadBody, 'isExcessive'>, contentType: string): RecordedBody {
  if (bytes.length === 0) return { kind: 'absent' };
  if (text === undefined) return { kind: 'binary', base64: Buffer.from(bytes).toString('base64'), contentType };
  return parsed !== undefined && isCanonicalJson(text) ? { kind: 'json', text } : recordText(text, parsed);
}

/** A text with what it parses to, undefined when it is no JSON. */
export function recordText(text: string, parsed: unknown): RecordedBody {
  return recordJson(parsed) ?? { kind: 'text', text: wellFormed(text) };
}

/**
 * A value as JSON. @returns undefined where there is none, and where it is more than can be read again: what is put together from several JSON texts may be
 * deeper than each of them.
 */
export function recordJson(parsed: unknown): RecordedBody | undefined {
  const json = parsed === undefined ? undefined : stringify(parsed);
  return json === undefined || jsonExcess(json) !== undefined ? undefined : { kind: 'json', text: json };
}

/** TRICKY: `JSON.stringify` throws where it has no stack, and where the text would be longer than a string may be. */
function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
