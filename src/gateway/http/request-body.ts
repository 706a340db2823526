import { GatelogError } from '../../model/errors.ts';
import { isIdentity } from './content-coding.ts';
import type { IncomingRequest } from './incoming-request.ts';

/** A request body: read whole when it was small enough, else what was read of it, the rest still to come. */
export type RequestBody =
  | { readonly whole: Buffer }
  | {
      readonly begun: readonly Buffer[];
      /** It is not too large to be held: there was no room beside other bodies. */
      readonly isCrowded?: boolean;
    };

const none = Buffer.alloc(0);

/** Declared length of a body; undefined when it comes in chunks. */
export function declaredLength(request: IncomingRequest): number | undefined {
  const text = request.headers['content-length'];
  if (text !== undefined) return Number(text);
  return request.headers['transfer-encoding'] === undefined ? 0 : undefined;
}

/**
 * Checks what a head says about its body.
 * @throws GatelogError `body_too_large`, or `not_implemented` for a transfer coding that Node would pass on undecoded.
 */
export function checkDeclaredBody(request: IncomingRequest, maxBytes: number): void {
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new GatelogError(
      'not_implemented',
      'Of the transfer codings this gateway takes only "chunked"; compress with Content-Encoding instead.',
    );
  }
  if ((declaredLength(request) ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
}

/** False for bodies that show no JSON, so no model's name: of other media, or compressed. Where no type is said, it may be JSON. */
export function mayBeJson(request: IncomingRequest): boolean {
  return !isCompressed(request) && mayHoldJson(request);
}

/** Whether nobody sees what a body says before its content coding is undone. */
export function isCompressed({ headers }: IncomingRequest): boolean {
  return !isIdentity(headers['content-encoding']);
}

/** As {@link mayBeJson}, of what a body is once it is not compressed any more. */
export function mayHoldJson({ headers }: IncomingRequest): boolean {
  const type = headers['content-type'];
  return type === undefined || !/^\s*(?:multipart|audio|image|video|application\/octet-stream)\b/i.test(type);
}

/**
 * Reads a body until it is whole or over `wholeMaxBytes`; the rest then stays with the request. Nothing is read before this is called.
 * `ready` is called once. When the client leaves meanwhile it gets, as whole, what had come.
 */
export function readBody(request: IncomingRequest, wholeMaxBytes: number, ready: (body: RequestBody) => void): void {
  const length = declaredLength(request);
  if (length === 0 || request.destroyed) ready({ whole: none });
  else if (length !== undefined && length > wholeMaxBytes) ready({ begun: [] });
  else collect(request, wholeMaxBytes, ready);
}

function collect(request: IncomingRequest, wholeMaxBytes: number, ready: (body: RequestBody) => void): void {
  let pieces: BodyPieces | undefined;
  let first: Buffer | undefined;
  let bytes = 0;
  request.readChunks((chunk) => {
    if (chunk === null) {
      ready({ whole: pieces === undefined ? (first ?? none) : Buffer.concat(pieces.all()) });
      return;
    }
    if (first === undefined) first = chunk;
    else (pieces ??= new BodyPieces(first)).add(chunk);
    bytes += chunk.length;
    if (bytes <= wholeMaxBytes) return;
    request.switchToStream();
    ready({ begun: pieces?.all() ?? [chunk] });
  });
}

/** A smaller piece is copied beside others: kept as it is it takes some hundred bytes more than it has, and a body may come byte by byte. */
const minPieceBytes = 4096;
const blockBytes = 16 * 1024;

/** Pieces of a body in their order, in memory of about their size however small they are. */
export class BodyPieces {
  private readonly pieces: Buffer[];
  /** What of it is taken, and what of that is among the pieces already. */
  private block = none;
  private used = 0;
  private listed = 0;

  constructor(first?: Buffer) {
    this.pieces = first === undefined ? [] : [first];
  }

  add(piece: Buffer): void {
    if (piece.length >= minPieceBytes) {
      this.listCopied();
      this.pieces.push(piece);
      return;
    }
    if (this.block.length - this.used < piece.length) {
      this.listCopied();
      this.block = Buffer.allocUnsafeSlow(blockBytes);
      this.used = 0;
      this.listed = 0;
    }
    this.block.set(piece, this.used);
    this.used += piece.length;
  }

  all(): readonly Buffer[] {
    this.listCopied();
    return this.pieces;
  }

  private listCopied(): void {
    if (this.used > this.listed) this.pieces.push(this.block.subarray(this.listed, this.used));
    this.listed = this.used;
  }
}

/** @throws GatelogError `body_too_large` when what came of a body of unknown length is over the limit already. */
export function checkSize(begun: readonly Buffer[], maxBytes: number): void {
  if (begun.reduce((sum, chunk) => sum + chunk.length, 0) > maxBytes) throw bodyTooLarge(maxBytes);
}

/** The refusal of a body over `mostBytes`. */
export function bodyTooLarge(maxBytes: number): GatelogError {
  return new GatelogError(
    'body_too_large',
    `The request body is over the gateway's limit of ${maxBytes} bytes (GATELOG_REQUEST_MAX_BYTES).`,
  );
}
