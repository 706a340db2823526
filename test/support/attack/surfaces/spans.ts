import { gzipSync } from 'node:zlib';
import { encodedRequest } from '../../../../src/otlp/testing/encode.ts';
import { requestOf, spanIdOf, type WrittenSpan } from '../../../../src/otlp/testing/spans.ts';
import { type AttackRequest, lanes, type Surface, type Target } from '../surface.ts';

const mebibyte = 1024 * 1024;
const model = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
const months = 143;

export const spans: Surface = {
  name: 'spans',
  words:
    'names of 7 MiB; tags that each of thousands of spans has; spans of 143 months; millions of empty spans in a few KB of gzip; a hundred thousand attributes; attributes 20,000 deep; ten thousand spans with late ancestors',
  attack: async (target) => {
    const bodies = [longNames(), sharedTags(), ofManyMonths(), emptySpans(), manyAttributes(), deepAttributes(), lateAncestors(0)];
    await lanes(target, 8, async (turn, lane) => {
      const body = bodies[(turn + lane) % bodies.length];
      if (body !== undefined) await target.send(sentTo(target, body));
    });
  },
};

export interface SpanBody {
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export function sentTo({ gateway }: Target, { body, headers }: SpanBody): AttackRequest {
  const own = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' };
  return { method: 'POST', url: `${gateway}/v1/otlp/v1/traces`, body, headers: { ...own, ...headers } };
}

/** Spans of one request, each with a trace of its own. */
export function spanBody(count: number, span: (index: number) => WrittenSpan): Buffer {
  const startMs = Date.now() - 1000;
  const written = Array.from({ length: count }, (_, index) => ({
    traceId: newTrace(),
    spanId: spanIdOf(1),
    startMs,
    endMs: startMs + 1,
    attributes: model,
    ...span(index),
  }));
  return gzipSync(encodedRequest(requestOf(written)), { level: 1 });
}

let traces = 0;

function newTrace(): string {
  traces += 1;
  return `${process.pid.toString(16)}f${traces.toString(16)}`.padStart(32, 'a');
}

function longNames(): SpanBody {
  const name = 'x'.repeat(7 * mebibyte);
  const attributes = { ...model, 'gen_ai.request.model': name, 'session.id': name };
  return { body: spanBody(1, () => ({ parentSpanId: spanIdOf(9), attributes })) };
}

function sharedTags(): SpanBody {
  return { body: spanBody(5000, () => ({ name: '' })), headers: { 'svc-property-a': 'v'.repeat(700), 'svc-property-b': 'v'.repeat(700) } };
}

function ofManyMonths(): SpanBody {
  return { body: spanBody(1430, (index) => timesOf(Date.UTC(2015, index % months, 15))) };
}

function timesOf(startMs: number): WrittenSpan {
  return { startMs, endMs: startMs + 1 };
}

function emptySpans(): SpanBody {
  return { body: gzipSync(messageOf(1, messageOf(2, Buffer.alloc(15 * mebibyte, Buffer.from([0x12, 0x00]))))) };
}

function manyAttributes(): SpanBody {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`attribute.${index}`, index]));
  return { body: spanBody(50, () => ({ attributes: { ...model, ...many } })) };
}

function deepAttributes(): SpanBody {
  const depth = 20_000;
  const deep = `${'{"kvlistValue":{"values":[{"key":"a","value":'.repeat(depth)}{"intValue":"1"}${'}]}}'.repeat(depth)}`;
  const span = `{"traceId":"${newTrace()}","spanId":"${spanIdOf(1)}","name":"deep","startTimeUnixNano":"${Date.now()}000000","endTimeUnixNano":"${Date.now()}000000","attributes":[{"key":"gen_ai.request.model","value":{"stringValue":"m"}},{"key":"deep","value":${deep}}]}`;
  return {
    body: gzipSync(`{"resourceSpans":[{"scopeSpans":[{"spans":[${span}]}]}]}`),
    headers: { 'content-type': 'application/json' },
  };
}

/** Children whose parents are never told of; each is remembered. */
function lateAncestors(from: number): SpanBody {
  return {
    body: spanBody(9000, (index) => ({ parentSpanId: spanIdOf(from + index + 1000), attributes: { ...model, 'session.id': `s${index}` } })),
  };
}

function messageOf(field: number, inner: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2]), varint(inner.length), inner]);
}

function varint(number: number): Buffer {
  return number < 0x80 ? Buffer.from([number]) : Buffer.concat([Buffer.from([(number & 0x7f) | 0x80]), varint(number >>> 7)]);
}
