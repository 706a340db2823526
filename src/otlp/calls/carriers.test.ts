import { expect, it } from 'vitest';
import { received, spanIdOf, traceId, type WrittenSpan } from '../testing/spans.ts';

const post: WrittenSpan = {
  spanId: spanIdOf(1),
  parentSpanId: spanIdOf(2),
  name: 'POST',
  attributes: { 'http.request.method': 'POST', 'url.full': 'http://127.0.0.1:8787/v1/responses' },
};
const model: WrittenSpan = {
  spanId: spanIdOf(2),
  name: 'chat',
  attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o', 'gen_ai.system': 'openai' },
};

const carriersIn = (spans: readonly WrittenSpan[]): readonly (readonly string[])[] =>
  received(spans).calls.flatMap(({ carriers }) => (carriers === undefined ? [] : [carriers]));

it('a span of a transport that comes without its parent tells where it stands', () => {
  const digits = traceId + spanIdOf(1) + spanIdOf(2);
  expect(carriersIn([post])).toEqual([[digits]]);
  expect(carriersIn([{ ...post, attributes: { 'http.method': 'POST', 'http.url': 'http://127.0.0.1:8787' } }])).toEqual([[digits]]);
  expect(received([post]).calls).toMatchObject([{ requestId: undefined }]);
});

it.each<readonly [string, readonly WrittenSpan[]]>([
  ['comes with its parent', [post, model]],
  ['begins a trace', [{ ...post, parentSpanId: '' }]],
  ['is of a server', [{ ...post, kind: 2 }]],
  ['is of another method, which no call of a model has', [{ ...post, attributes: { 'http.request.method': 'GET' } }]],
  ['is of another protocol', [{ ...post, attributes: { 'rpc.system': 'grpc' } }]],
  ['is a call of a model by itself', [{ ...post, attributes: { ...model.attributes, ...post.attributes } }]],
])('one that %s tells nothing apart', (_what, spans) => {
  expect(carriersIn(spans)).toEqual([]);
});

it('many are told together, a few in each, and none far from another in time', () => {
  const many = Array.from({ length: 20 }, (_, index) => ({ ...post, spanId: spanIdOf(100 + index) }));
  const later = { ...post, spanId: spanIdOf(200), startMs: Date.UTC(2026, 10, 1, 1), endMs: Date.UTC(2026, 10, 1, 1) };
  expect(carriersIn([later, ...many]).map(({ length }) => length)).toEqual([16, 4, 1]);
});
