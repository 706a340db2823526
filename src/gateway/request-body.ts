import type { IncomingMessage } from 'node:http';
import { GatelogError } from '../model/errors.ts';
import type { ExchangeRecorder } from './tap.ts';

/** A request body, read whole when it was small enough, else as it comes. */
export type RequestBody = { readonly whole: Buffer } | { readonly stream: AsyncIterable<Uint8Array> };

export interface BodyReaderOptions {
  readonly request: IncomingMessage;
  /** A body up to this size is read whole. */
  readonly wholeMaxBytes: number;
  /** A body over this size is refused. */
  readonly mostBytes: number;
}

/** Declared length of a body; undefined when it comes in chunks. */
export function declaredLength(request: IncomingMessage): number | undefined {
  const text = request.headers['content-length'];
  if (text !== undefined) return Number(text);
  return request.headers['transfer-encoding'] === undefined ? 0 : undefined;
}

/**
 * Reads a body until it is whole or over `wholeMaxBytes`; then the rest stays a stream. Nothing is read before this is called.
 * `ready` is called once, never after the client has left.
 */
export function readBody(options: BodyReaderOptions, ready: (body: RequestBody) => void): void {
  const { request, wholeMaxBytes } = options;
  const length = declaredLength(request);
  if (length === 0) {
    ready({ whole: Buffer.alloc(0) });
    return;
  }
  if (length !== undefined && length > wholeMaxBytes) {
    ready({ stream: request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array> });
    return;
  }
  collect(options, ready);
}

function collect(options: BodyReaderOptions, ready: (body: RequestBody) => void): void {
  const { request, wholeMaxBytes } = options;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onEnd = (): void => {
    const [first] = chunks;
    ready({ whole: chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks) });
  };
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= wholeMaxBytes) return;
    request.pause();
    request.off('data', onData);
    request.off('end', onEnd);
    ready({ stream: continued(chunks, request) });
  };
  request.on('data', onData);
  request.once('end', onEnd);
}

async function* continued(chunks: readonly Buffer[], request: IncomingMessage): AsyncIterable<Uint8Array> {
  yield* chunks;
  yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
}

/**
 * The stream as it passes to the provider, tapped into the record.
 * @throws GatelogError `body_too_large` once more than `mostBytes` have come.
 */
export async function* tapped(stream: AsyncIterable<Uint8Array>, recorder: ExchangeRecorder, mostBytes: number): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw bodyTooLarge(mostBytes);
    recorder.requestPart(chunk);
    yield chunk;
  }
}

export function bodyTooLarge(mostBytes: number): GatelogError {
  return new GatelogError('body_too_large', `The request body is over the gateway's limit of ${mostBytes} bytes (GATELOG_REQUEST_MAX_BYTES).`);
}
