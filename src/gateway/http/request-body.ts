import { GatelogError } from '../../model/errors.ts';
import { isIdentity } from './content-coding.ts';
import type { IncomingRequest } from './incoming-request.ts';

/** A request body: buffered when it was small enough, else its beginning, with the rest still in the request. */
export type RequestBody =
  | { readonly buffered: Buffer }
  | {
      readonly streaming: readonly Buffer[];
      /** It was not too large to buffer, but other bodies took the memory. */
      readonly isCrowded?: boolean;
    };

const none = Buffer.alloc(0);

/** @returns undefined for a chunked body. */
export function declaredLength(request: IncomingRequest): number | undefined {
  const text = request.headers['content-length'];
  if (text !== undefined) return Number(text);
  return request.headers['transfer-encoding'] === undefined ? 0 : undefined;
}

/**
 * @throws GatelogError `body_too_large`, or `not_implemented` for a transfer coding that Node would pass on undecoded.
 */
export function checkDeclaredBody(request: IncomingRequest, maxBytes: number, setting?: string): void {
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new GatelogError(
      'not_implemented',
      'Of the transfer codings this gateway takes only "chunked"; compress with Content-Encoding instead.',
    );
  }
  if ((declaredLength(request) ?? 0) > maxBytes) throw bodyTooLarge(maxBytes, setting);
}

/** False for compressed bodies and other media types. Without a content type, a body may be JSON. */
export function mayBeJson(request: IncomingRequest): boolean {
  return !isCompressed(request) && mayHoldJson(request);
}

export function isCompressed({ headers }: IncomingRequest): boolean {
  return !isIdentity(headers['content-encoding']);
}

/** As {@link mayBeJson}, for the decompressed body. */
export function mayHoldJson({ headers }: IncomingRequest): boolean {
  const type = headers['content-type'];
  return type === undefined || !/^\s*(?:multipart|audio|image|video|application\/octet-stream)\b/i.test(type);
}

/**
 * Buffers a body up to `bufferMaxBytes`; the rest of a larger one stays in the request. `ready` is called once. When the client disconnects,
 * `ready` gets the received part as the whole body.
 */
export function readBody(request: IncomingRequest, bufferMaxBytes: number, ready: (body: RequestBody) => void): void {
  const length = declaredLength(request);
  if (length === 0 || request.destroyed) ready({ buffered: none });
  else if (length !== undefined && length > bufferMaxBytes) ready({ streaming: [] });
  else collect(request, bufferMaxBytes, ready);
}

function collect(request: IncomingRequest, bufferMaxBytes: number, ready: (body: RequestBody) => void): void {
  let pieces: BodyPieces | undefined;
  let first: Buffer | undefined;
  let bytes = 0;
  request.readChunks((chunk) => {
    if (chunk === null) {
      ready({ buffered: pieces === undefined ? (first ?? none) : Buffer.concat(pieces.all()) });
      return;
    }
    if (first === undefined) first = chunk;
    else (pieces ??= new BodyPieces(first)).add(chunk);
    bytes += chunk.length;
    if (bytes <= bufferMaxBytes) return;
    request.switchToStream();
    ready({ streaming: pieces?.all() ?? [chunk] });
  });
}

/** Smaller pieces are copied into blocks: a Buffer has an overhead of some hundred bytes, and a body may arrive byte by byte. */
const minPieceBytes = 4096;
const blockBytes = 16 * 1024;

/** Collects the pieces of a body in about as much memory as their bytes, however small they are. */
export class BodyPieces {
  private readonly pieces: Buffer[];
  private block = none;
  /** Bytes of the block that are taken, and how many of them are in `pieces`. */
  private used = 0;
  private flushed = 0;

  constructor(first?: Buffer) {
    this.pieces = first === undefined ? [] : [first];
  }

  add(piece: Buffer): void {
    if (piece.length >= minPieceBytes) {
      this.flushBlock();
      this.pieces.push(piece);
      return;
    }
    if (this.block.length - this.used < piece.length) {
      this.flushBlock();
      this.block = Buffer.allocUnsafeSlow(blockBytes);
      this.used = 0;
      this.flushed = 0;
    }
    this.block.set(piece, this.used);
    this.used += piece.length;
  }

  all(): readonly Buffer[] {
    this.flushBlock();
    return this.pieces;
  }

  private flushBlock(): void {
    if (this.used > this.flushed) this.pieces.push(this.block.subarray(this.flushed, this.used));
    this.flushed = this.used;
  }
}

/** @throws GatelogError `body_too_large`. */
export function checkSize(begun: readonly Buffer[], maxBytes: number): void {
  if (begun.reduce((sum, chunk) => sum + chunk.length, 0) > maxBytes) throw bodyTooLarge(maxBytes);
}

/** @param setting that has the limit. */
export function bodyTooLarge(maxBytes: number, setting = 'GATELOG_REQUEST_MAX_BYTES'): GatelogError {
  return new GatelogError('body_too_large', `The request body is over the gateway's limit of ${maxBytes} bytes (${setting}).`);
}

/** The client waits for leave to send its body. */
export function expectsContinue({ headers, httpVersion }: IncomingRequest): boolean {
  return headers.expect !== undefined && httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect);
}
