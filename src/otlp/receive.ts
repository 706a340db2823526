import { messageOf } from '../model/errors.ts';
import type { TaggedProperty, Tags } from '../model/record/exchange.ts';
import type { LoggedCall } from '../model/record/logged-call.ts';
import { AddedBytesLimit, mayAdd } from './calls/added-bytes-limit.ts';
import { carrierCalls } from './calls/carriers.ts';
import { type IdentifyTexts, textsOfLogs } from './calls/log-texts.ts';
import { type IdentifySpan, loggedSpan } from './calls/logged-span.ts';
import { SpanWork } from './received/limits.ts';
import { type DecodedSpans, withoutFuture } from './protocol/decoded.ts';
import { decodeJson } from './protocol/json.ts';
import { decodeJsonLogs } from './protocol/json-logs.ts';
import { decodeProtobuf } from './protocol/protobuf.ts';
import { decodeProtobufLogs } from './protocol/protobuf-logs.ts';
import type { Encoding } from './protocol/encoding.ts';
import type { Span } from './received/span.ts';
import type { PositionedRequest, PositionedSpan, ReceivedTrace } from './tree/position.ts';
import { positionSpans } from './tree/position-spans.ts';
import type { RecentParents } from './tree/recent-parents.ts';

export interface ReceivedSpans {
  readonly calls: readonly LoggedCall[];
  readonly traces: readonly ReceivedTrace[];
  /** Why spans were not taken, one reason for each. */
  readonly rejected: readonly string[];
  /** Spans behind the most that a request has. */
  readonly beyond: number;
}

export interface ReceivePorts {
  /** For the organisation. */
  readonly identify: IdentifySpan;
  readonly parents: RecentParents;
  /** Of this request. */
  readonly work?: SpanWork;
  /** Bytes that the request may add to the spool, beside what {@link surfaceBounds} says. */
  readonly maxAddedBytes?: number;
}

/** One request, and whose it is. */
export interface SpansRequest {
  readonly organizationId: string;
  readonly encoding: Encoding;
  /** Decompressed. */
  readonly bytes: Uint8Array;
  /** Of the request's own headers: for every span that does not tell another. */
  readonly defaults: Tags;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * Turns an OTLP request into calls: bytes → spans → requests with their places → bodies that the readers of providers understand. Spans that
 * are no call of a model, tool or search remain as nodes. @throws MalformedSpans, TooManySpans.
 */
export function receiveSpans(request: SpansRequest, ports: ReceivePorts): ReceivedSpans {
  const { organizationId, encoding, bytes, defaults, now } = request;
  const { identify, parents, work = new SpanWork(), maxAddedBytes = Infinity } = ports;
  const { spans, rejected, beyond } = withoutFuture(decode(encoding, bytes, work), now);
  const traces = positionSpans({ organizationId, spans, defaults, work }, parents);
  const bytesLimit = new AddedBytesLimit(Math.min(maxAddedBytes, mayAdd(bytes.length, spans.length)));
  const calls: LoggedCall[] = [];
  const properties = new Map<Span, readonly TaggedProperty[]>();
  const unread: string[] = [];
  for (const positioned of traces.flatMap((trace) => trace.positioned)) {
    work.pause();
    const call = callOf(positioned, request, ports);
    if (typeof call === 'string') unread.push(call);
    else {
      bytesLimit.add(call);
      calls.push(call);
      properties.set(positioned.span, call.tags.properties);
    }
  }
  calls.push(...carrierCalls(traces.flatMap(({ carriers }) => carriers)));
  return {
    calls,
    traces: traces.map(({ traceId, nodes, positioned }) => ({
      traceId,
      nodes,
      requests: positioned.map(({ span, sessionId, sessionPath, isRooted }) => ({
        ...(isRooted ? {} : namesOf(properties.get(span))),
        requestId: identify(span),
        spanId: span.spanId,
        sessionId,
        sessionPath,
        isRooted,
      })),
    })),
    rejected: [...rejected, ...unread],
    beyond,
  };
}

/** @returns why it could not be read: a fault of ours, and the other spans are not to be lost with this one. */
function callOf(positioned: PositionedSpan, { defaults }: SpansRequest, { identify }: ReceivePorts): LoggedCall | string {
  try {
    return loggedSpan(positioned, defaults, identify);
  } catch (error) {
    return `the attributes could not be read (${messageOf(error)})`;
  }
}

function decode(encoding: Encoding, bytes: Uint8Array, work: SpanWork): DecodedSpans {
  if (encoding === 'protobuf') return decodeProtobuf(bytes, work);
  return decodeJson(textOf(bytes), work);
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

export interface ReceivedLogs {
  /** Texts of spans, which are no calls by themselves. */
  readonly calls: readonly LoggedCall[];
  /** Records that tell of no text of a model's call. */
  readonly others: number;
  readonly rejected: readonly string[];
  readonly beyond: number;
}

/** Turns a request with log records into the texts that they tell of spans. @throws MalformedSpans, TooManySpans. */
export function receiveLogs(
  { encoding, bytes, defaults, now }: SpansRequest,
  {
    identify,
    work = new SpanWork(),
    maxAddedBytes = Infinity,
  }: { readonly identify: IdentifyTexts } & Omit<ReceivePorts, 'identify' | 'parents'>,
): ReceivedLogs {
  const { records, rejected, beyond } = encoding === 'protobuf' ? decodeProtobufLogs(bytes, work) : decodeJsonLogs(textOf(bytes), work);
  work.pause();
  const { calls, others } = textsOfLogs({ records, defaults, now }, identify);
  const bytesLimit = new AddedBytesLimit(Math.min(maxAddedBytes, mayAdd(bytes.length, records.length)));
  for (const call of calls) bytesLimit.add(call);
  return { calls, others, rejected, beyond };
}

function namesOf(properties: readonly TaggedProperty[] = []): Partial<Pick<PositionedRequest, 'properties'>> {
  return properties.length === 0 ? {} : { properties: properties.map(({ name }) => name) };
}
