import { setImmediate as nextTurn } from 'node:timers/promises';
import { readRequestHead } from '../../gateway/directives/request-head.ts';
import type { Admissions } from '../record/admissions.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { Principal } from '../../model/principal.ts';
import type { LogPermit, LogCalls, LoggedCall } from '../../model/record/logged-call.ts';
import type { SentSpans, SpansResponse, TakeSpans } from '../../model/record/sent-spans.ts';
import { type Encoding, encodingOf, mediaTypes, statusBody } from '../../otlp/protocol/encoding.ts';
import { successBody } from '../../otlp/protocol/response.ts';
import type { ReceivedTrace } from '../../otlp/tree/position.ts';
import { surfaceBounds } from '../../model/record/surface-bounds.ts';
import { FairSemaphore } from '../../platform/fair-semaphore.ts';
import { headerValue } from '../../platform/http/header-list.ts';
import { BodyThread, defaultLimits } from '../../platform/threads/body-thread.ts';
import { unpackCalls } from '../record/packed-calls.ts';
import type { ReadSpans, SpansResult, SpansTask } from './read-spans.ts';
import { tooLarge } from './refusals.ts';

export interface SpanPorts {
  readonly admissions: Pick<Admissions, 'admit' | 'whenRoom'>;
  readonly logCalls: LogCalls;
  /** Remembers spans for ancestors that are still to come; may forget them. */
  readonly onTraces: (owner: Principal, traces: readonly ReceivedTrace[]) => void;
  /** Of a body, decompressed. */
  readonly maxBytes: number;
  /** That one request may add to the spool. */
  readonly maxAddedBytes: number;
  readonly now: () => number;
  readonly observe: Observe;
}

export interface SpanThread {
  readonly take: TakeSpans;
  readonly close: () => Promise<void>;
}

const { admission: turnBounds } = surfaceBounds.spans;
/** No bound: the thread reads one body at a time, and organisations take turns in it. */
const maxOrganizations = 1_000_000;
const maxWaitMs = 20_000;

/**
 * The reader ends by its own work. The clock is the last resort: it ends the thread, with what it remembers of all organisations, and a busy
 * machine must not do that.
 */
const readLimits = { ...defaultLimits, maxWaitMs, maxReadMs: 60_000 };

const compiledWorker = new URL('./worker.js', import.meta.url);

/** Takes spans. The thread that reads them starts with the first of them, and loads what understands them. */
export function startSpanThread(ports: SpanPorts, workerFile: URL = compiledWorker): SpanThread {
  const thread = new BodyThread<SpansTask, SpansResult>(workerFile, readLimits);
  // What waits in it is the request's body, which is counted where it came; what is made of a body never waits for another's.
  const turns = new FairSemaphore({
    units: maxOrganizations,
    maxUnitsOfOwner: turnBounds.atOnce,
    maxWaitingOfOwner: turnBounds.waiting,
    refusal: tooManyRequests,
  });
  return {
    take: async (owner, sent) => {
      const encoding = encodingOf(headerValue(sent.rawHeaders, 'content-type') ?? '');
      try {
        return await take(ports, { thread, turns }, owner, { ...sent, encoding });
      } catch (error) {
        return failure(ports, encoding, sent.signal?.aborted === true ? clientLeft() : error);
      }
    },
    close: () => thread.close(),
  };
}

type DeclaredSpans = SentSpans & { readonly encoding: Encoding | undefined };

interface Reading {
  readonly thread: BodyThread<SpansTask, SpansResult>;
  readonly turns: FairSemaphore;
}

/** Returns when all calls among the spans, or what log records tell of their texts, are durable. Metrics are counted, and nothing more. */
async function take(ports: SpanPorts, { thread, turns }: Reading, owner: Principal, sent: DeclaredSpans): Promise<SpansResponse> {
  const { organizationId } = owner;
  const { signal } = sent;
  const { encoding, ...declared } = declaredOf(sent, ports.maxBytes);
  const { holds } = sent;
  if (holds === 'metrics') {
    ports.observe({ kind: 'telemetry_not_recorded', signal: holds });
    return { status: 200, contentType: mediaTypes[encoding], body: successBody(encoding, { rejected: [], beyond: 0 }) };
  }
  const permit = await turns.acquire(1, { owner: organizationId, signal, maxWaitMs });
  try {
    return await takeInTurn(ports, thread, owner, { ...sent, ...declared, holds, encoding });
  } finally {
    permit.release();
  }
}

type ReadableSpans = SentSpans & ReturnType<typeof declaredOf> & Pick<SpansTask, 'holds'>;

async function takeInTurn(
  ports: SpanPorts,
  thread: Reading['thread'],
  owner: Principal,
  { holds, body, signal, encoding, isCompressed, defaults }: ReadableSpans,
): Promise<SpansResponse> {
  const { organizationId } = owner;
  const { maxBytes, maxAddedBytes } = ports;
  await ports.admissions.whenRoom(organizationId, signal);
  const task = { holds, organizationId, encoding, isCompressed, defaults, maxBytes, maxAddedBytes, now: ports.now() };
  const { calls, size, others, remembered, response } = readOf(await thread.run({ organizationId, signal }, body, task));
  const admitted = await ports.admissions.admit(owner, size, signal);
  await logInTurns(ports.logCalls, admitted, unpackCalls(calls)).finally(admitted.end);
  ports.onTraces(owner, remembered.traces);
  if (holds === 'logs' && (others > 0 || size.startedAt.length === 0)) ports.observe({ kind: 'telemetry_not_recorded', signal: holds });
  const { dropped } = remembered;
  if (dropped > 0) ports.observe({ kind: 'span_places_dropped', requests: dropped, reason: 'one request told more than is remembered' });
  return { status: 200, contentType: mediaTypes[encoding], body: response };
}

/** @throws GatelogError for what cannot be taken, before anything is read. */
function declaredOf({ rawHeaders, body, encoding }: DeclaredSpans, maxBytes: number) {
  if (encoding === undefined) {
    throw unsupported('OTLP is sent as `application/x-protobuf` or `application/json` over HTTP; gRPC is not taken.');
  }
  const isCompressed = isGzip(headerValue(rawHeaders, 'content-encoding') ?? '');
  const { directives } = readRequestHead(rawHeaders);
  if (directives.refusal !== undefined) throw directives.refusal;
  if (body.length > maxBytes) throw tooLarge(maxBytes);
  return { encoding, isCompressed, defaults: directives.tags };
}

/** Framing hundreds of calls, or large ones, at once would hold up those that pass through the gateway. */
const inTurn = { calls: 24, bytes: 256 * 1024 } as const;

async function logInTurns(logCalls: LogCalls, permit: LogPermit, calls: Iterable<LoggedCall>): Promise<void> {
  const written: Promise<unknown>[] = [];
  // Handled here, because the loop goes on before all have ended.
  const log = (group: readonly LoggedCall[]): void => {
    const logged = logCalls(permit, group).then(() => undefined);
    written.push(logged.catch((reason: unknown) => reason));
  };
  let group: LoggedCall[] = [];
  let bytes = 0;
  for (const call of calls) {
    group.push(call);
    bytes += call.requestBody.length + call.response.body.length + bytesOfTags(call);
    if (group.length < inTurn.calls && bytes < inTurn.bytes) continue;
    log(group);
    [group, bytes] = [[], 0];
    await nextTurn();
  }
  if (group.length > 0) log(group);
  const error = (await Promise.all(written)).find((each) => each !== undefined);
  if (error !== undefined) throw error instanceof Error ? error : new TypeError('calls were not logged', { cause: error });
}

function bytesOfTags({ tags }: LoggedCall): number {
  return tags.properties.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
}

function clientLeft(): GatelogError {
  return new GatelogError('too_many_calls', 'The client has left.');
}

function tooManyRequests(): GatelogError {
  return new GatelogError(
    'backlog_full',
    'More requests with spans of your organisation wait than are read one after the other. Send this again later, or fewer at once.',
    { retryAfterSeconds },
  );
}

function isGzip(contentEncoding: string): boolean {
  const name = contentEncoding.trim().toLowerCase();
  if (name === 'gzip') return true;
  if (name === '' || name === 'identity') return false;
  throw unsupported('OTLP is compressed by `gzip` or not at all.');
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
