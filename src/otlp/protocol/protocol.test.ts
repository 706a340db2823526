import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { surfaceBounds } from '../../model/record/surface-bounds.ts';
import { MalformedSpans, spanLimits, SpanWork, TooManySpans } from '../received/limits.ts';
import { encodedRequest } from '../testing/encode.ts';
import { received, requestOf, spanIdOf, traceId, type WrittenSpan } from '../testing/spans.ts';
import { withoutFuture } from './decoded.ts';
import { decodeJson } from './json.ts';
import { decodeProtobuf } from './protobuf.ts';
import { encodingOf, statusBody } from './encoding.ts';
import { successBody } from './response.ts';

const spans: readonly WrittenSpan[] = [
  {
    name: 'chat gpt-4o',
    spanId: spanIdOf(1),
    parentSpanId: spanIdOf(2),
    attributes: {
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': 52,
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.stream': true,
      'gen_ai.response.finish_reasons': ['stop', 'length'],
      'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'Grüße 🎈, and a text of more than twelve bytes' }] }],
      negative: -7,
    },
    events: [{ name: 'exception', attributes: { 'exception.message': 'no' } }],
    status: { code: 2, message: 'failed' },
  },
  { name: 'root', spanId: spanIdOf(2), kind: 1 },
];
const resource = { 'service.name': 'shop' };
const request = requestOf(spans, resource);
const bytes = encodedRequest(request);

const times = integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2100, 0, 1) });

it('times are to the millisecond those that were sent, in both encodings', () => {
  assert(
    property(times, integer({ min: 0, max: 1_000_000 }), (startMs, lasted) => {
      const sent = requestOf([{ spanId: spanIdOf(1), startMs, endMs: startMs + lasted }]);
      for (const { spans: found } of [decodeProtobuf(encodedRequest(sent)), decodeJson(JSON.stringify(sent))]) {
        expect(found).toMatchObject([{ startMs, endMs: startMs + lasted }]);
      }
    }),
  );
});

it('times that are numbers of JSON are to the millisecond too', () => {
  assert(
    property(times, (startMs) => {
      const asNumbers = JSON.stringify(requestOf([{ spanId: spanIdOf(1), startMs }])).replaceAll(/"(\d{19})"/g, '$1');
      expect(decodeJson(asNumbers).spans).toMatchObject([{ startMs }]);
    }),
  );
});

it('both encodings give the same spans', () => {
  const decoded = decodeProtobuf(bytes);
  expect(decoded).toEqual(decodeJson(JSON.stringify(request)));
  expect(decoded.rejected).toEqual([]);
  expect(decoded.spans).toHaveLength(2);
  expect(decoded.spans[0]).toMatchObject({
    traceId,
    spanId: '0000000000000001',
    parentSpanId: '0000000000000002',
    name: 'chat gpt-4o',
    kind: 3,
    startMs: Date.UTC(2026, 10, 1),
    endMs: Date.UTC(2026, 10, 1) + 1000,
    status: { code: 2, message: 'failed' },
    scope: { name: 'test', version: '1' },
  });
  expect(decoded.spans[0]?.attributes.get('gen_ai.input.messages')).toEqual([
    { role: 'user', parts: [{ type: 'text', content: 'Grüße 🎈, and a text of more than twelve bytes' }] },
  ]);
  expect(decoded.spans[0]?.attributes.get('negative')).toBe(-7);
  expect(decoded.spans[1]?.resource.get('service.name')).toBe('shop');
});

it('a body that is cut off anywhere is malformed', () => {
  const taken = Array.from({ length: bytes.length - 1 }, (_, index) => bytes.subarray(0, index + 1)).filter((part) => {
    try {
      decodeProtobuf(part);
      return true;
    } catch (error) {
      return !(error instanceof MalformedSpans);
    }
  });
  expect(taken).toEqual([]);
});

it('other bytes and texts are malformed, and an empty body has no spans', () => {
  expect(() => decodeProtobuf(Buffer.from('{"resourceSpans":[]}'))).toThrow(MalformedSpans);
  for (const text of [
    '',
    '[]',
    'null',
    '{"resourceSpans":{}}',
    '{"resourceSpans":[1]}',
    '{"resourceSpans":[{"scopeSpans":[{"spans":3}]}]}',
  ]) {
    expect(() => decodeJson(text)).toThrow(MalformedSpans);
  }
  expect(decodeProtobuf(new Uint8Array(0))).toEqual({ spans: [], rejected: [], beyond: 0 });
  expect(decodeJson('{}')).toEqual({ spans: [], rejected: [], beyond: 0 });
});

const nested = (levels: number): unknown => (levels === 0 ? 'x' : [nested(levels - 1)]);
const many = (count: number): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1]));

describe.each<[string, WrittenSpan, string]>([
  ['a trace without an identifier', { traceId: '0'.repeat(32) }, 'trace_id is not 16 bytes, or all zeros'],
  ['a short identifier', { traceId: 'abcd' }, 'trace_id is not 16 bytes, or all zeros'],
  ['a span without an identifier', { spanId: '0'.repeat(16) }, 'span_id is not 8 bytes, or all zeros'],
  ['a span without a start', { startMs: 0 }, 'start_time_unix_nano is missing'],
  ['a span of 1970', { startMs: 1000, endMs: 2000 }, 'start_time_unix_nano is before 2015; it counts nanoseconds'],
  ['a span of a year', { endMs: Date.UTC(2027, 10, 1) }, 'end_time_unix_nano is more than 30 days after the start'],
  ['an end before the start', { endMs: 5 }, 'end_time_unix_nano is missing or before the start; a span is sent when it has ended'],
  ['too many attributes', { attributes: many(spanLimits.attributes + 1) }, 'a span, or an event of it, has at most 4096 attributes'],
  ['too deep a value', { attributes: { deep: nested(spanLimits.depth + 1) } }, 'an attribute is nested over 32 levels'],
  ['too many events', { events: Array.from({ length: spanLimits.events + 1 }, () => ({ name: 'e' })) }, 'a span has at most 2048 events'],
  ['too long a name', { name: 'n'.repeat(spanLimits.nameBytes + 1) }, 'name is over 8192 bytes'],
])('%s', (_name, wrong, reason) => {
  const body = requestOf([{ name: 'before', spanId: spanIdOf(7) }, wrong, { name: 'after', spanId: spanIdOf(8) }]);

  it.each([
    ['in JSON', () => decodeJson(JSON.stringify(body))],
    ['in protobuf', () => decodeProtobuf(encodedRequest(body))],
  ])('%s rejects the span with its reason, and takes the others', (_encoding, decode) => {
    const decoded = decode();
    expect(decoded.rejected).toEqual([reason]);
    expect(decoded.spans.map(({ name }) => name)).toEqual(['before', 'after']);
  });
});

it('spans of the future are rejected, and the others taken', () => {
  const inAnHour = { startMs: Date.UTC(2026, 10, 1, 1), endMs: Date.UTC(2026, 10, 1, 2), name: 'in an hour' };
  const later = { startMs: Date.UTC(3000, 0, 1), endMs: Date.UTC(3000, 0, 1) };
  const { spans: taken, rejected } = withoutFuture(decodeJson(JSON.stringify(requestOf([later, inAnHour]))), Date.UTC(2026, 10, 1));
  expect([taken.map(({ name }) => name), rejected]).toEqual([['in an hour'], ['start_time_unix_nano is more than a day in the future']]);
});

function double(doubleValue: unknown): unknown {
  return { key: String(doubleValue), value: { doubleValue } };
}

it('numbers that JSON cannot hold become null or are rounded', () => {
  const huge = { key: 'huge', value: { intValue: '9223372036854775807' } };
  const [span] = (requestOf([{}]) as { resourceSpans: [{ scopeSpans: [{ spans: [Record<string, unknown>] }] }] }).resourceSpans[0]
    .scopeSpans[0].spans;
  const body = {
    resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, attributes: [double('NaN'), double('-Infinity'), double(0.5), huge] }] }] }],
  };
  expect(Object.fromEntries(decodeJson(JSON.stringify(body)).spans[0]?.attributes ?? [])).toEqual({
    NaN: null,
    '-Infinity': null,
    '0.5': 0.5,
    huge: 2 ** 63,
  });
});

it('the deepest value that is allowed is taken', () => {
  const body = requestOf([{ attributes: { deep: nested(spanLimits.depth) } }]);
  expect(decodeJson(JSON.stringify(body)).rejected).toEqual([]);
  expect(decodeProtobuf(encodedRequest(body)).rejected).toEqual([]);
});

const isWhole = { startMs: Date.UTC(2026, 10, 1) };

it('spans beyond the limit of a request are counted and not read, and those that were rejected count too', () => {
  for (const span of [isWhole, { traceId: 'abcd' }]) {
    const body = requestOf(Array.from({ length: spanLimits.spans + 2 }, () => span));
    for (const { spans: taken, rejected, beyond } of [decodeProtobuf(encodedRequest(body)), decodeJson(JSON.stringify(body))]) {
      expect([taken.length + rejected.length, beyond]).toEqual([spanLimits.spans, 2]);
    }
  }
});

it('a body of too many parts is refused before all of it is read, whatever they are', () => {
  const { parts } = surfaceBounds.spans.work;
  // Of the resource, the scope and the span, and a field without a meaning.
  const repeated = (field: number): Buffer => Buffer.alloc(2 * (parts + 1), Buffer.from([(field << 3) | 2, 0]));
  for (const body of [
    repeated(1),
    around(1, repeated(2)),
    around(1, around(2, repeated(2))),
    around(1, around(2, around(2, repeated(13)))),
  ]) {
    expect(() => decodeProtobuf(body)).toThrow(TooManySpans);
  }
});

it('a request whose time is used up is refused between two spans', () => {
  expect(() => received([{}, {}], { work: new SpanWork(() => true) })).toThrow(TooManySpans);
});

function around(field: number, inner: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2]), varint(inner.length), inner]);
}

function varint(number: number): Buffer {
  return number < 0x80 ? Buffer.from([number]) : Buffer.concat([Buffer.from([(number & 0x7f) | 0x80]), varint(number >>> 7)]);
}

describe('the response', () => {
  it('is empty when all was taken, and names each reason with its count otherwise', () => {
    expect(successBody('protobuf', { rejected: [], beyond: 0 })).toHaveLength(0);
    expect(Buffer.from(successBody('json', { rejected: [], beyond: 0 })).toString()).toBe('{}');
    const rejected = ['one', 'other', 'one'];
    expect(JSON.parse(Buffer.from(successBody('json', { rejected, beyond: 0 })).toString())).toEqual({
      partialSuccess: { rejectedSpans: '3', errorMessage: 'Not recorded: 2 × one; 1 × other.' },
    });
    expect(Buffer.from(successBody('protobuf', { rejected, beyond: 0 })).toString('latin1')).toContain(
      'Not recorded: 2 \u00c3\u0097 one; 1 \u00c3\u0097 other.',
    );
  });

  it('names ten reasons at most', () => {
    const rejected = Array.from({ length: 14 }, (_, index) => `reason ${index}`);
    expect(Buffer.from(successBody('json', { rejected, beyond: 0 })).toString()).toContain('1 × reason 9; and 4 other reasons.');
  });

  it('of a failure is a status in the encoding of the request', () => {
    expect(JSON.parse(Buffer.from(statusBody('json', 400, 'no')).toString())).toEqual({ code: 3, message: 'no' });
    expect(Buffer.from(statusBody('protobuf', 400, 'no')).toString('hex')).toBe('080312026e6f');
    expect(
      Buffer.from(statusBody('protobuf', 503, 'n'.repeat(300)))
        .subarray(0, 5)
        .toString('hex'),
    ).toBe('080e12ac02');
  });

  it.each([
    ['application/json', 'json'],
    ['Application/JSON; charset=utf-8', 'json'],
    ['application/x-protobuf', 'protobuf'],
    ['application/protobuf', 'protobuf'],
    ['text/plain', undefined],
    ['', undefined],
  ])('content-type %j is %s', (contentType, encoding) => {
    expect(encodingOf(contentType)).toBe(encoding);
  });
});
