import { setImmediate as nextTurn } from 'node:timers/promises';
import { readRequestHead } from '../../gateway/directives/request-head.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { Principal } from '../../model/principal.ts';
import type { LogCalls, LoggedCall } from '../../model/record/logged-call.ts';
import type { SentSpans, SpansResponse, TakeSpans } from '../../model/record/sent-spans.ts';
import { type Encoding, encodingOf, mediaTypes, statusBody } from '../../otlp/protocol/encoding.ts';
import type { ReceivedTrace } from '../../otlp/tree/place.ts';
import { headerValue } from '../../platform/http/header-list.ts';
import { BodyThread } from '../bodies/body-thread.ts';
import { unpackCalls } from './packed-calls.ts';
import type { ReadSpans, SpansResult, SpansTask } from './read-spans.ts';
import { tooLarge } from './refusals.ts';

export interface SpanPorts {
  readonly logCalls: LogCalls;
  /** Remembers spans for ancestors that are still to come; may forget them. */
  readonly noteTraces: (owner: Principal, traces: readonly ReceivedTrace[]) => void;
  /** Of a body, decompressed. */
  readonly maxBytes: number;
  readonly now: () => number;
  readonly observe: Observe;
}

export interface SpanThread {
  readonly take: TakeSpans;
  readonly close: () => Promise<void>;
}

const compiledWorker = new URL('./worker.js', import.meta.url);

/** Takes spans. The thread that reads them starts with the first of them, and loads what understands them. */
export function startSpanThread(ports: SpanPorts, workerFile: URL = compiledWorker): SpanThread {
  const thread = new BodyThread<SpansTask, SpansResult>(workerFile);
  return {
    take: async (owner, sent) => {
      const encoding = encodingOf(headerValue(sent.rawHeaders, 'content-type') ?? '');
      try {
        return await take(ports, thread, owner, { ...sent, encoding });
      } catch (error) {
        return failure(ports, encoding, error);
      }
    },
    close: () => thread.close(),
  };
}

type DeclaredSpans = SentSpans & { readonly encoding: Encoding | undefined };

/** Returns when all calls among the spans are durable. */
async function take(
  { logCalls, noteTraces, maxBytes, now, observe }: SpanPorts,
  thread: BodyThread<SpansTask, SpansResult>,
  owner: Principal,
  { rawHeaders, body, signal, encoding }: DeclaredSpans,
): Promise<SpansResponse> {
  if (encoding === undefined) {
    throw unsupported('Spans are sent as `application/x-protobuf` or `application/json` (OTLP over HTTP); gRPC is not taken.');
  }
  const isCompressed = isGzip(headerValue(rawHeaders, 'content-encoding') ?? '');
  const { directives } = readRequestHead(rawHeaders);
  if (directives.refusal !== undefined) throw directives.refusal;
  if (body.length > maxBytes) throw tooLarge(maxBytes);
  const { organizationId } = owner;
  const task = { organizationId, encoding, isCompressed, maxBytes, defaults: directives.tags, now: now() };
  const { calls, remembered, response } = readOf(await thread.run({ organizationId, signal }, body, task));
  await logInTurns(logCalls, owner, unpackCalls(calls));
  noteTraces(owner, remembered.traces);
  if (remembered.dropped > 0) observe({ kind: 'span_places_dropped', requests: remembered.dropped, reason: 'one request told too much' });
  return { status: 200, contentType: mediaTypes[encoding], body: response };
}

/** Framing hundreds of calls at once would hold up those that pass through the gateway. */
const callsInTurn = 24;

async function logInTurns(logCalls: LogCalls, owner: Principal, calls: readonly LoggedCall[]): Promise<void> {
  const written: Promise<unknown>[] = [];
  for (let start = 0; start < calls.length; start += callsInTurn) {
    if (start > 0) await nextTurn();
    // Handled here, because the loop goes on before all have ended.
    written.push(
      logCalls(owner, calls.slice(start, start + callsInTurn)).then(
        () => undefined,
        (reason: unknown) => reason,
      ),
    );
  }
  const error = (await Promise.all(written)).find((each) => each !== undefined);
  if (error !== undefined) throw error instanceof Error ? error : new TypeError('calls were not logged', { cause: error });
}

function isGzip(contentEncoding: string): boolean {
  const name = contentEncoding.trim().toLowerCase();
  if (name === 'gzip') return true;
  if (name === '' || name === 'identity') return false;
  throw unsupported('Spans are compressed by `gzip` or not at all.');
}

function unsupported(message: string): GatelogError {
  return new GatelogError('unsupported_media_type', message);
}

function readOf(result: SpansResult): ReadSpans {
  if ('refusal' in result) throw new GatelogError(result.refusal.code, result.refusal.message);
  return result;
}

const retryAfterSeconds = 5;

/** Exporters try again after 429 and 503, and after nothing else of ours. */
function failure({ observe }: SpanPorts, encoding: Encoding = 'json', error: unknown): SpansResponse {
  const told = error instanceof GatelogError ? error : new GatelogError('internal', 'The spans could not be taken.', { cause: error });
  if (told !== error) observe({ kind: 'call_failed', reason: messageOf(error) });
  const isBusy = told.status === 429 || told.status === 503;
  return {
    status: told.status,
    contentType: mediaTypes[encoding],
    body: statusBody(encoding, told.status, told.message),
    ...(isBusy ? { retryAfterSeconds: told.retryAfterSeconds ?? retryAfterSeconds } : {}),
  };
}
