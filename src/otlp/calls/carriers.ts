import type { LoggedCall } from '../../model/record/logged-call.ts';
import { unknownProvider } from '../attributes/provider.ts';
import type { Span } from '../received/span.ts';

/** Few: the ingest holds them in memory. */
const maxInCall = 16;
/** Between the first and the last of one: their calls are looked for at about its time. */
const maxApartMs = 600_000;
const noBytes = new Uint8Array();

/** Spans that may carry a call, and came without their parents: what they tell is where they stand, and they become no requests. */
export function carrierCalls(spans: readonly Span[]): readonly LoggedCall[] {
  const groups: Span[][] = [];
  for (const span of spans.toSorted((one, other) => one.startMs - other.startMs)) {
    const group = groups.at(-1);
    const isApart = span.startMs - (group?.[0]?.startMs ?? 0) > maxApartMs;
    if (group === undefined || group.length >= maxInCall || isApart) groups.push([span]);
    else group.push(span);
  }
  return groups.map(callOf);
}

function callOf(spans: readonly Span[]): LoggedCall {
  return {
    // A repetition tells nothing new, and is not looked for.
    requestId: undefined,
    startedAt: spans[0]?.startMs ?? 0,
    elapsedMs: 0,
    firstTokenMs: undefined,
    method: 'POST',
    path: '/',
    provider: unknownProvider,
    targetUrl: '',
    model: undefined,
    requestHeaders: {},
    tags: { properties: [] },
    carriers: spans.map(({ traceId, spanId, parentSpanId }) => traceId + spanId + parentSpanId),
    requestBody: noBytes,
    response: { status: 200, headers: {}, body: noBytes },
  };
}
