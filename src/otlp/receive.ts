import { messageOf } from '../model/errors.ts';
import type { Tags } from '../model/record/exchange.ts';
import type { LoggedCall } from '../model/record/logged-call.ts';
import { type IdentifySpan, loggedSpan } from './calls/logged-span.ts';
import { type DecodedSpans, withoutFuture } from './protocol/decoded.ts';
import { decodeJson } from './protocol/json.ts';
import { decodeProtobuf } from './protocol/protobuf.ts';
import type { Encoding } from './protocol/encoding.ts';
import type { ReceivedTrace } from './tree/place.ts';
import { placeSpans } from './tree/place-spans.ts';
import type { RecentParents } from './tree/recent-parents.ts';

export interface ReceivedSpans {
  readonly calls: readonly LoggedCall[];
  readonly traces: readonly ReceivedTrace[];
  /** Why spans were not taken, one reason for each. */
  readonly rejected: readonly string[];
}

export interface ReceivePorts {
  /** For the organisation. */
  readonly identify: IdentifySpan;
  readonly parents: RecentParents;
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
 * are no call of a model, tool or search remain as nodes. @throws MalformedSpans.
 */
export function receiveSpans(request: SpansRequest, { identify, parents }: ReceivePorts): ReceivedSpans {
  const { organizationId, encoding, bytes, defaults, now } = request;
  const { spans, rejected } = withoutFuture(decode(encoding, bytes), now);
  const traces = placeSpans({ organizationId, spans, defaults }, parents);
  const calls: LoggedCall[] = [];
  const unread: string[] = [];
  for (const placed of traces.flatMap((trace) => trace.placed)) {
    try {
      calls.push(loggedSpan(placed, defaults, identify));
    } catch (error) {
      // A fault of ours: the other spans are not to be lost with this one.
      unread.push(`the attributes could not be read (${messageOf(error)})`);
    }
  }
  return {
    calls,
    traces: traces.map(({ traceId, nodes, placed }) => ({
      traceId,
      nodes,
      requests: placed.map(({ span, sessionId, sessionPath, isRooted }) => ({
        requestId: identify(span),
        spanId: span.spanId,
        sessionId,
        sessionPath,
        isRooted,
      })),
    })),
    rejected: [...rejected, ...unread],
  };
}

function decode(encoding: Encoding, bytes: Uint8Array): DecodedSpans {
  if (encoding === 'protobuf') return decodeProtobuf(bytes);
  return decodeJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}
