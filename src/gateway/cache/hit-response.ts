import type { CachedResponse } from '../../state/cached-responses.ts';
import { codingFor } from '../http/content-coding.ts';
import { headerValue, type HeaderList } from '../../platform/http/header-list.ts';
import { isEventStreamBody } from './cacheable.ts';
import type { BufferedResponse } from '../upstream/response-sink.ts';

/** A smaller body gains nothing. */
const minEncodedBytes = 1024;
const compressible = /^(?:text\/|application\/(?:[\w.+-]*json|[\w.+-]*xml|x-ndjson)\b)/i;

/**
 * The content coding in which a caller gets a cached response; undefined: none. Event streams stay unencoded, because the relay searches
 * them for their end and for usage that the caller did not ask for.
 */
export function hitCodingFor(hit: CachedResponse, passed: HeaderList): string | undefined {
  const { body, headers } = hit;
  if (body.length < minEncodedBytes) return undefined;
  const contentType = headerValue(headers, 'content-type') ?? '';
  if (isEventStreamBody(bytesOf(hit), contentType) || !compressible.test(contentType)) return undefined;
  return codingFor(headerValue(passed, 'accept-encoding') ?? '');
}

export async function encodedResponse(
  hit: CachedResponse,
  coding: string,
  pack: (bytes: Buffer) => Promise<Buffer>,
): Promise<BufferedResponse> {
  const bytes = await pack(bytesOf(hit));
  return responseWith(hit, bytes, ['content-encoding', coding, 'vary', 'accept-encoding']);
}

export function plainResponse(hit: CachedResponse): BufferedResponse {
  return responseWith(hit, bytesOf(hit), []);
}

/** No copy: the body belongs to this caller alone. */
function bytesOf({ body }: CachedResponse): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.length);
}

/** Event streams had no Content-Length and get none; a 204 must not have one (RFC 9110 §8.6). */
function responseWith(hit: CachedResponse, bytes: Buffer, lines: readonly string[]): BufferedResponse {
  const { status, headers } = hit;
  const isStream = isEventStreamBody(bytesOf(hit), headerValue(headers, 'content-type') ?? '');
  const length = isStream || status === 204 ? [] : ['content-length', String(bytes.length)];
  return { status, headers: [...headers, ...lines, ...length], chunks: bytes.length === 0 ? [] : [bytes] };
}
