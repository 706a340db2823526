import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExchangeAnswer, ExchangeEnd, ExchangeOpen, ExchangeResponseHead } from '../../model/record/exchange.ts';
import { serializeAnswered, serializeOpen } from './frame-json.ts';
import { assert } from '../../../test/support/seeded.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"', '\\', '\n', '\u0000', '\u001f', '\u007f', '\u2028', '\ud800', 'a\udfffb', '\ud83d\ude00'),
);
const texts = fc.dictionary(text, text);
/** Most are in tables of ours; of headers some are remembered with their values. */
const name = fc.oneof(fc.constantFrom('content-type', 'user-agent', 'content-length', 'openai', 'my-provider', 'POST'), text);
/** Few enough that they come again, each time beside others: what was remembered of one exchange must not be said of another. */
const few = fc.constantFrom(
  '',
  'a',
  'b"',
  '/v1/chat/completions',
  '\u00e4',
  '\u0144',
  'multipart/form-data',
  'x'.repeat(64),
  'x'.repeat(65),
);
const headers = fc.dictionary(name, fc.oneof(text, few));
const count = fc.nat();
const uuid = (value: string): never => value as never;
const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> => fc.option(value, { nil: undefined, freq: 2 });

const tags = fc.record(
  {
    properties: fc.array(
      fc.record({ name: fc.oneof(text, few), value: text, lowered: fc.constant(true) }, { requiredKeys: ['name', 'value'] }),
    ),
    userId: text,
    sessionId: text,
    promptInputs: texts,
    requestBody: fc.constant('never'),
    securityCheck: fc.constant(true),
  },
  { requiredKeys: ['properties'] },
);

/** With every field that there is: the text of a new one is missed here, or it is not compiled. */
const opens = fc.record({
  version: fc.constant(1),
  requestId: fc.uuid().map(uuid),
  organizationId: fc.constantFrom('one', 'other').map(uuid),
  keyHash: fc.constantFrom('ab'.repeat(32), 'cd'.repeat(32)),
  openedAt: fc.maxSafeNat(),
  method: name,
  path: fc.oneof(text, few),
  provider: name,
  targetUrl: fc.oneof(text, few),
  model: maybe(text),
  headers,
  tags,
  countryCode: maybe(fc.constant('DE')),
  trace: maybe(fc.record({ traceId: fc.constant('4bf92f3577b34da6a3ce929d0e0e4736'), spanId: fc.constant('00f067aa0ba902b7') })),
  reserved: maybe(fc.constant(true)),
  cacheEnabled: maybe(fc.constant(true)),
  cachedFrom: maybe(fc.record({ requestId: fc.uuid(), createdAt: count })),
  bodyOverride: maybe(texts),
  credentialHash: maybe(text),
} satisfies Record<keyof ExchangeOpen, fc.Arbitrary<unknown>>);

const overrides = {
  provider: maybe(text),
  targetUrl: maybe(text),
  model: maybe(text),
  attempts: maybe(fc.constant([])),
  bodyOverride: maybe(texts),
  credentialHash: maybe(text),
};
const answers = fc.record({
  head: fc.record({ status: count, headers, elapsedMs: count, ...overrides } satisfies Record<
    keyof ExchangeResponseHead,
    fc.Arbitrary<unknown>
  >),
  end: fc.record({
    outcome: fc.constant('complete'),
    elapsedMs: count,
    firstByteMs: maybe(count),
    firstTokenMs: fc.option(fc.option(count, { nil: null }), { nil: undefined }),
    overheadMs: fc.nat(10_000_000).map((micros) => micros / 1000),
    requestBytes: count,
    responseBytes: count,
    status: fc.option(fc.nat(599), { nil: undefined }),
    requestCut: maybe(fc.constant(true)),
    responseCut: maybe(fc.constant(true)),
    responseTailFollows: maybe(fc.constant(true)),
    ...overrides,
  } satisfies Record<keyof ExchangeEnd, fc.Arbitrary<unknown>>),
});

test('the text of a frame is what JSON.stringify makes of it, whatever the values are', () => {
  assert(
    fc.property(opens, answers, (open, answer) => {
      expect(serializeOpen(open)).toBe(JSON.stringify(open));
      expect(serializeAnswered(answer as ExchangeAnswer)).toBe(JSON.stringify(answer));
    }),
    { numRuns: 1000 },
  );
});

test('a number too large or too small for plain digits reads the same', () => {
  const end = { outcome: 'complete', elapsedMs: 1e21, firstByteMs: 0, overheadMs: 1e-7, requestBytes: -0, responseBytes: 5e-324 } as const;
  const answer: ExchangeAnswer = { head: { status: 200, headers: {}, elapsedMs: 1.5 }, end };
  expect(serializeAnswered(answer)).toBe(JSON.stringify(answer));
});
