import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { deriveRequestId } from '../../gateway/record/request-ids.ts';
import { type ErrorCode, GatelogError, messageOf } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Tags } from '../../model/record/exchange.ts';
import type { SizeOfCalls } from '../../model/record/logged-call.ts';
import { surfaceBounds } from '../../model/record/surface-bounds.ts';
import type { IdentifySpan } from '../../otlp/calls/logged-span.ts';
import { MalformedSpans, SpanWork, TooManySpans } from '../../otlp/received/limits.ts';
import type { Encoding } from '../../otlp/protocol/encoding.ts';
import { successBody } from '../../otlp/protocol/response.ts';
import type { IdentifyTexts } from '../../otlp/calls/log-texts.ts';
import { receiveLogs, receiveSpans } from '../../otlp/receive.ts';
import { rememberedOf, type RememberedTraces } from '../../otlp/tree/remembered.ts';
import { RecentParents } from '../../otlp/tree/recent-parents.ts';
import { threadCpuClock } from '../../platform/thread-cpu-time.ts';
import { packCalls, type PackedCalls } from '../record/packed-calls.ts';
import { tooLarge } from './refusals.ts';

export interface SpansTask {
  readonly holds: 'spans' | 'logs';
  readonly organizationId: OrganizationId;
  readonly encoding: Encoding;
  readonly isCompressed: boolean;
  /** Of the decompressed body. */
  readonly maxBytes: number;
  /** That the request may add to the spool. */
  readonly maxAddedBytes: number;
  readonly defaults: Tags;
  /** Unix milliseconds. */
  readonly now: number;
}

export interface ReadSpans {
  readonly calls: PackedCalls;
  readonly size: SizeOfCalls;
  readonly remembered: RememberedTraces;
  /** Log records that tell of no text of a model's call. */
  readonly others: number;
  /** Of a request whose calls are recorded. */
  readonly response: Uint8Array;
}

export type SpansResult = ReadSpans | { readonly refusal: { readonly code: ErrorCode; readonly message: string } };

/** Reads requests of OTLP, one after the other. Never throws. */
export function makeReadSpans(): (body: Buffer, task: SpansTask) => SpansResult {
  const parents = new RecentParents();
  const clock = threadCpuClock();
  return (body, task) => {
    const { holds, organizationId, encoding, isCompressed, maxBytes, maxAddedBytes, defaults, now } = task;
    try {
      const work = new SpanWork(isOverIn(surfaceBounds.spans.work.cpuMs, clock));
      const bytes = isCompressed ? decompressed(body, maxBytes) : body;
      const identify: IdentifySpan = ({ traceId, spanId, startMs }) => deriveRequestId(organizationId, startMs, `${traceId}:${spanId}`);
      const identifyTexts: IdentifyTexts = ({ traceId, spanId, startMs, content }) =>
        deriveRequestId(organizationId, startMs, `texts:${traceId}:${spanId}:${digestOf(content)}`);
      const request = { organizationId, encoding, bytes, defaults, now };
      const {
        calls,
        traces,
        others = 0,
        ...rejected
      } = holds === 'logs'
        ? { ...receiveLogs(request, { identify: identifyTexts, work, maxAddedBytes }), traces: [] }
        : { ...receiveSpans(request, { identify, parents, work, maxAddedBytes }), others: 0 };
      const packed = packCalls(calls);
      const size = { bytes: packed.bytes.length, startedAt: calls.map(({ startedAt }) => startedAt) };
      return { calls: packed, size, others, remembered: rememberedOf(traces), response: successBody(encoding, rejected, holds) };
    } catch (error) {
      const { code, message } = errorOf(error);
      return { refusal: { code, message } };
    }
  };
}

function digestOf(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex');
}

/** Judged by the work of this thread alone: other work of a busy machine refuses nobody's spans. */
function isOverIn(maxMs: number, clock: (() => number) | undefined): () => boolean {
  const startedAt = clock?.() ?? 0;
  return () => clock !== undefined && clock() - startedAt > maxMs;
}

function errorOf(error: unknown): GatelogError {
  if (error instanceof GatelogError) return error;
  if (error instanceof TooManySpans) return new GatelogError('body_too_large', error.message);
  return error instanceof MalformedSpans
    ? new GatelogError('malformed_request', error.message)
    : new GatelogError('internal', messageOf(error));
}

/** Stops where the body would be larger. */
function decompressed(body: Buffer, maxBytes: number): Buffer {
  try {
    return gunzipSync(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(maxBytes);
    throw new GatelogError('malformed_request', 'The body is no gzip, although `Content-Encoding` says so.', { cause: error });
  }
}
