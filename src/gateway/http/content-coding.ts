import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gunzip, gzip, inflate, inflateRaw } from 'node:zlib';
import { Slices } from '../../platform/bounds/slices.ts';
import { codingsOf, isTooLong } from '../../platform/http/content-decoding.ts';
import { unzstdSteps } from '../../platform/zstd/unzstd.ts';

type Decode = (bytes: Buffer, options: { readonly maxOutputLength: number; readonly chunkSize: number }) => Promise<Buffer>;
type Encode = (bytes: Buffer) => Promise<Buffer>;

const decodes: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', inflateEither],
  ['br', promisify(brotliDecompress)],
  ['zstd', decodeZstd],
]);

/** Of one step in a thread. Node's 16 KiB make a turn of the event loop for each, 256 for a reply of 4 MiB. */
const chunkBytes = 256 * 1024;
/** Node takes no smaller one. */
const leastChunkBytes = 64;

const inflateZlib: Decode = promisify(inflate);
const inflateBare: Decode = promisify(inflateRaw);

/** TRICKY: servers send `deflate` with and without the zlib header. */
async function inflateEither(...[bytes, options]: Parameters<Decode>): Promise<Buffer> {
  try {
    return await inflateZlib(bytes, options);
  } catch (error) {
    if (isTooLong(error)) throw error;
    return inflateBare(bytes, options);
  }
}

/** Node 20 has none of its own, so it is decoded on the event loop, in slices. */
async function decodeZstd(bytes: Buffer, { maxOutputLength }: { readonly maxOutputLength: number }): Promise<Buffer> {
  const slices = new Slices();
  const parts: Buffer[] = [];
  const steps = unzstdSteps(bytes, maxOutputLength);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      if (!step.value) throw new Error('It ends in the middle of a frame.');
      return Buffer.concat(parts);
    }
    parts.push(step.value);
    await slices.turn();
  }
}

const brotli = promisify<Buffer, object, Buffer>(brotliCompress);
/** Brotli's default quality takes a hundred times as long for a tenth fewer bytes. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Preferred coding first. */
const encodes: ReadonlyMap<string, Encode> = new Map<string, Encode>([
  ['br', (bytes) => brotli(bytes, brotliOptions)],
  ['gzip', promisify<Buffer, Buffer>(gzip)],
]);

/** @param coding value of a `Content-Encoding`, in any case (RFC 9110 §8.4.1). */
export function isIdentity(coding: string | undefined): boolean {
  return coding === undefined || coding === 'identity' || /^\s*(?:identity\s*)?$/i.test(coding);
}

/**
 * Decodes a `Content-Encoding`, which may name several codings, without holding up the event loop.
 * @returns undefined for an unknown coding, truncated bytes, or a result over `maxBytes`, also on the way.
 */
export async function decodeBuffered(bytes: Buffer, contentEncoding: string, maxBytes: number): Promise<Buffer | undefined> {
  const options = { maxOutputLength: maxBytes, chunkSize: Math.min(chunkBytes, Math.max(leastChunkBytes, maxBytes)) };
  const codings = codingsOf(contentEncoding);
  if (codings === undefined) return undefined;
  try {
    let decoded = bytes;
    for (const coding of codings.toReversed()) {
      const decode = decodes.get(coding);
      if (decode === undefined) return undefined;
      decoded = await decode(decoded, options);
    }
    return decoded;
  } catch {
    return undefined;
  }
}

/**
 * @returns the best coding that the client accepts and we can encode; undefined for none.
 * @param accepted value of `Accept-Encoding`.
 */
export function codingFor(accepted: string): string | undefined {
  const weights = weightsOf(accepted);
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const identityWeight = weights.get('identity') ?? 0;
  const better = [...encodes.keys()].filter((coding) => weightOf(coding) > 0 && weightOf(coding) >= identityWeight);
  return better.toSorted((one, other) => weightOf(other) - weightOf(one))[0];
}

/** Encodes a body off the event loop. @param coding from {@link codingFor}. */
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
