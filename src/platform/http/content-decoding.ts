import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { isSystemError } from '../files.ts';
import { unzstd } from '../zstd/unzstd.ts';

/** Max content codings of one body, as in HTTP clients. */
const maxCodings = 5;

type Decoder = (bytes: Uint8Array, maxOutputLength: number, maxBlocks?: number) => Buffer;

/** A truncated body decodes as far as it goes. */
const finishFlush = constants.Z_SYNC_FLUSH;
const gunzip: Decoder = (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength, finishFlush });
const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['br', (bytes, maxOutputLength) => brotliDecompressSync(bytes, { maxOutputLength, finishFlush: constants.BROTLI_OPERATION_FLUSH })],
  ['deflate', inflateEither],
  ['zstd', unzstd],
]);

/** TRICKY: servers send `deflate` with and without the zlib header. */
function inflateEither(bytes: Uint8Array, maxOutputLength: number): Buffer {
  try {
    return inflateSync(bytes, { maxOutputLength, finishFlush });
  } catch (error) {
    if (isTooLong(error)) throw error;
    return inflateRawSync(bytes, { maxOutputLength, finishFlush });
  }
}

/**
 * The codings of a body in the order in which they were applied, in lower case and without `identity`.
 * @param contentEncoding value of a `Content-Encoding`, in any case (RFC 9110 §8.4.1).
 * @returns undefined where one is unknown, or there are too many.
 */
export function codingsOf(contentEncoding: string | undefined): readonly string[] | undefined {
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  return codings.length <= maxCodings && codings.every((coding) => decoders.has(coding)) ? codings : undefined;
}

/** Whether a decoder failed because it would give more bytes than it may. */
export function isTooLong(error: unknown): boolean {
  return isSystemError(error) && error.code === 'ERR_BUFFER_TOO_LARGE';
}

/**
 * Undoes codings one after the other, the last first.
 * @param maxBlocks of zstd, whose blocks take time however short they are; what is behind is left out.
 * @throws Error for invalid bytes, or where any of them gives more than `maxBytes`.
 */
export function decodeCodings(bytes: Uint8Array, codings: readonly string[], maxBytes: number, maxBlocks?: number): Buffer {
  let decoded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const coding of codings.toReversed()) {
    const decode = decoders.get(coding);
    if (decode === undefined) throw new TypeError(`Nothing decodes ${coding}.`);
    decoded = decoded.length === 0 ? decoded : decode(decoded, maxBytes, maxBlocks);
  }
  return decoded;
}
