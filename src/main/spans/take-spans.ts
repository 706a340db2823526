import { GatelogError } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import type { Tags } from '../../model/record/exchange.ts';
import type { LogCalls } from '../../model/record/logged-call.ts';
import { type Encoding, encodingOf, mediaTypes } from '../../otlp/protocol/encoding.ts';
import type { ReceivedTrace } from '../../otlp/tree/place.ts';
import { BodyThread } from '../bodies/body-thread.ts';
import { unpackCalls } from './packed-calls.ts';
import type { ReadSpans, SpansResult, SpansTask } from './read-spans.ts';
import { tooLarge } from './refusals.ts';

/** A request of OTLP as it came. */
export interface SentSpans {
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly body: Buffer;
  /** Of the request's own headers. */
  readonly defaults: Tags;
  /** Aborts when the sender has left. */
  readonly signal?: AbortSignal | undefined;
}

export interface SpansResponse {
  readonly contentType: string;
  readonly body: Uint8Array;
}

/**
 * Takes spans: returns when all requests among them are durable. @throws GatelogError `unsupported_media_type`, `malformed_request`,
 * `body_too_large`, `too_many_calls`, or what {@link LogCalls} throws; then nothing is acknowledged and all may be sent again.
 */
export type TakeSpans = (owner: Principal, sent: SentSpans) => Promise<SpansResponse>;

export interface SpanPorts {
  readonly logCalls: LogCalls;
  /** Remembers spans for ancestors that are still to come; may forget them. */
  readonly noteTraces: (owner: Principal, traces: readonly ReceivedTrace[]) => void;
  /** Of a body, decompressed. */
  readonly maxBytes: number;
}

const compiledWorker = new URL('./worker.js', import.meta.url);

/** The thread that reads spans starts with the first of them. */
export function startSpanThread(
  { logCalls, noteTraces, maxBytes }: SpanPorts,
  workerFile: URL = compiledWorker,
): { readonly take: TakeSpans; readonly close: () => Promise<void> } {
  const thread = new BodyThread<SpansTask, SpansResult>(workerFile);
  const take: TakeSpans = async (owner, sent) => {
    const { organizationId } = owner;
    const { body, defaults, signal } = sent;
    const encoding = acceptedEncoding(sent);
    if (body.length > maxBytes) throw tooLarge(maxBytes);
    const isCompressed = isGzip(sent.contentEncoding);
    const { calls, traces, response } = readOf(
      await thread.run({ organizationId, signal }, body, { organizationId, encoding, isCompressed, maxBytes, defaults }),
    );
    if (calls.calls.length > 0) await logCalls(owner, unpackCalls(calls));
    noteTraces(owner, traces);
    return { contentType: mediaTypes[encoding], body: response };
  };
  return { take, close: () => thread.close() };
}

function acceptedEncoding({ contentType }: SentSpans): Encoding {
  const encoding = encodingOf(contentType);
  if (encoding !== undefined) return encoding;
  throw new GatelogError(
    'unsupported_media_type',
    'Spans are sent as `application/x-protobuf` or `application/json` (OTLP over HTTP); gRPC is not taken.',
  );
}

function isGzip(contentEncoding: string): boolean {
  const name = contentEncoding.trim().toLowerCase();
  if (name === 'gzip') return true;
  if (name === '' || name === 'identity') return false;
  throw new GatelogError('unsupported_media_type', 'Spans are compressed by `gzip` or not at all.');
}

function readOf(result: SpansResult): ReadSpans {
  if ('refusal' in result) throw new GatelogError(result.refusal.code, result.refusal.message);
  return result;
}
