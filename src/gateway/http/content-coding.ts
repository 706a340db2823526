import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gunzip, gzip, inflate } from 'node:zlib';

type Decode = (bytes: Buffer, most: { readonly maxOutputLength: number }) => Promise<Buffer>;
type Encode = (bytes: Buffer) => Promise<Buffer>;

const decodes: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

const brotli = promisify<Buffer, object, Buffer>(brotliCompress);
/** Brotli's own default takes a hundred times as long for a tenth less. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** What a reply can be encoded in, the better first. */
const encodes: ReadonlyMap<string, Encode> = new Map<string, Encode>([
  ['br', (bytes) => brotli(bytes, brotliOptions)],
  ['gzip', promisify<Buffer, Buffer>(gzip)],
]);

/** True where bytes are as they are. @param coding value of a `Content-Encoding`, which has no case (RFC 9110 §8.4.1). */
export function isIdentity(coding: string | undefined): boolean {
  return coding === undefined || coding === 'identity' || /^\s*(?:identity\s*)?$/i.test(coding);
}

/**
 * Undoes a `Content-Encoding`, off the event loop.
 * @returns undefined when it is not known, the bytes are not whole in it, or they become more than `mostBytes`.
 */
export async function decodeWhole(bytes: Buffer, coding: string, maxBytes: number): Promise<Buffer | undefined> {
  const decode = decodes.get(coding.trim().toLowerCase());
  if (decode === undefined) return undefined;
  try {
    return await decode(bytes, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}

/**
 * The best coding that a reader accepts and we can make; undefined: none, the body as it is.
 * @param accepted value of `Accept-Encoding`.
 */
export function codingFor(accepted: string): string | undefined {
  const weights = weightsOf(accepted);
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const asItIs = weights.get('identity') ?? 0;
  const better = [...encodes.keys()].filter((coding) => weightOf(coding) > 0 && weightOf(coding) >= asItIs);
  return better.toSorted((one, other) => weightOf(other) - weightOf(one))[0];
}

/** Encodes a body, off the event loop. @param coding one that {@link codingFor} gave. */
export async function encodeIn(coding: string, bytes: Buffer): Promise<Buffer> {
  const encode = encodes.get(coding);
  if (encode === undefined) throw new TypeError(`Nothing encodes in ${coding}.`);
  return encode(bytes);
}

function weightsOf(accepted: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    if (coding !== '') weights.set(coding, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  return weights;
}
