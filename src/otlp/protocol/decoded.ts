import { exceedsBytes } from '../../model/text.ts';
import { SpanFault, spanLimits } from '../received/limits.ts';
import type { Span } from '../received/span.ts';

/** Spans of a request, and why others of it were not taken. */
export interface DecodedSpans {
  readonly spans: readonly Span[];
  readonly rejected: readonly string[];
  /** Spans behind the most that a request has: they are counted and not read. */
  readonly beyond: number;
}

/** Collects the spans of one request. A span that throws a `SpanFault` is rejected and the others go on. */
export class SpanCollector {
  private readonly spans: Span[] = [];
  private readonly rejected: string[] = [];
  private beyond = 0;

  /** Those that were rejected count too. */
  get isFull(): boolean {
    return this.spans.length + this.rejected.length >= spanLimits.spans;
  }

  add(decode: () => Span): void {
    if (this.isFull) {
      this.beyond += 1;
      return;
    }
    try {
      this.spans.push(checked(decode()));
    } catch (error) {
      if (!(error instanceof SpanFault)) throw error;
      this.rejected.push(error.message);
    }
  }

  result(): DecodedSpans {
    return { spans: this.spans, rejected: this.rejected, beyond: this.beyond };
  }
}

const traceIdShape = /^(?!0{32})[0-9a-f]{32}$/;
const spanIdShape = /^(?!0{16})[0-9a-f]{16}$/;
const earliestMs = Date.UTC(2015, 0, 1);
const dayMs = 86_400_000;
const maxElapsedMs = 30 * dayMs;

function checked(span: Span): Span {
  const { traceId, spanId, parentSpanId, name, startMs, endMs, attributes, events } = span;
  if (!traceIdShape.test(traceId)) throw new SpanFault('trace_id is not 16 bytes, or all zeros');
  if (!spanIdShape.test(spanId)) throw new SpanFault('span_id is not 8 bytes, or all zeros');
  if (parentSpanId !== '' && !spanIdShape.test(parentSpanId)) throw new SpanFault('parent_span_id is not 8 bytes');
  if (!(startMs > 0)) throw new SpanFault('start_time_unix_nano is missing');
  if (startMs < earliestMs) throw new SpanFault('start_time_unix_nano is before 2015; it counts nanoseconds');
  if (endMs < startMs) throw new SpanFault('end_time_unix_nano is missing or before the start; a span is sent when it has ended');
  if (endMs - startMs > maxElapsedMs) throw new SpanFault('end_time_unix_nano is more than 30 days after the start');
  if (exceedsBytes(name, spanLimits.nameBytes)) throw new SpanFault(`name is over ${spanLimits.nameBytes} bytes`);
  if (attributes.size > spanLimits.attributes) throw tooManyAttributes();
  if (events.length > spanLimits.events) throw tooManyEvents();
  return span;
}

export function tooManyAttributes(): SpanFault {
  return new SpanFault(`a span, or an event of it, has at most ${spanLimits.attributes} attributes`);
}

export function tooManyEvents(): SpanFault {
  return new SpanFault(`a span has at most ${spanLimits.events} events`);
}

export function tooDeep(): SpanFault {
  return new SpanFault(`an attribute is nested over ${spanLimits.depth} levels`);
}

/** Rejects spans of the future, as logs of it are. @param now Unix milliseconds. */
export function withoutFuture({ spans, rejected, beyond }: DecodedSpans, now: number): DecodedSpans {
  const past = spans.filter(({ startMs }) => startMs <= now + dayMs);
  const reasons = Array.from({ length: spans.length - past.length }, () => 'start_time_unix_nano is more than a day in the future');
  return { spans: past, rejected: [...rejected, ...reasons], beyond };
}
