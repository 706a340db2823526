import { PbfWriter } from 'pbf';
import {
  array,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  oneof,
  property,
  record,
  string as anyText,
  tuple,
  uint8Array,
} from 'fast-check';
import { expect, it } from 'vitest';
import { dialects } from './dialects/all.ts';
import { MalformedSpans } from './received/limits.ts';
import { decodeProtobuf } from './protocol/protobuf.ts';
import { readCall, received, spanIdOf } from './testing/spans.ts';
import { assert as check } from '../../test/support/seeded.ts';
import { byLength } from '../../test/support/test-length.ts';

/** Names that some dialect reads, and any others. */
const known = [
  ...dialects.flatMap(({ attributeNames, tagLists, propertyObjects, propertyPrefixes }) => [
    ...Object.values(attributeNames).flat(),
    ...tagLists,
    ...propertyObjects,
    ...propertyPrefixes.map((prefix) => `${prefix}x`),
  ]),
  'gen_ai.operation.name',
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.tool.definitions',
  'gen_ai.prompt',
  'gen_ai.prompt.0.content',
  'gen_ai.prompt.x',
  'gen_ai.completion.0.tool_calls.0.name',
  'gen_ai.response.finish_reasons',
  'openinference.span.kind',
  'llm.input_messages.0.message.role',
  'llm.input_messages.0.message',
  'llm.tools.0.tool.json_schema',
  'llm.output_messages.3.message.contents.0.message_content.image',
  'input.value',
  'output.value',
  'llm.invocation_parameters',
  'ai.operationId',
  'ai.prompt',
  'ai.prompt.messages',
  'ai.prompt.tools',
  'ai.response.toolCalls',
  'ai.response.providerMetadata',
  'ai.values',
  'langfuse.observation.type',
  'langfuse.observation.input',
  'langfuse.observation.output',
  'langfuse.observation.usage_details',
  'langfuse.observation.cost_details',
  'langfuse.observation.model.parameters',
  'traceloop.span.kind',
  'traceloop.entity.input',
];
const operations = [
  'chat',
  'embeddings',
  'text_completion',
  'execute_tool',
  'retrieval',
  'image_generation',
  'speech',
  'rerank',
  'other',
  'LLM',
  'TOOL',
];

const name = oneof({ weight: 4, arbitrary: constantFrom(...known) }, anyText());
const json = jsonValue({ maxDepth: 4 });
const value = oneof(
  constantFrom(...operations, 'ai.generateText.doGenerate', 'ai.toolCall', 'generation', 'tool', 29.72, 0.0297),
  json.filter((each) => each !== null),
  json.map((each) => JSON.stringify(each)),
  constantFrom('[', '{"a":', '"', '[{"role":1,"parts":{"type":[]}}]', '{"usage":{"input_tokens":-1}}', '1e999', '__proto__'),
);
const event = record({
  name: constantFrom(
    'gen_ai.user.message',
    'gen_ai.choice',
    'gen_ai.content.prompt',
    'exception',
    'gen_ai.client.inference.operation.details',
  ),
  attributes: dictionary(oneof(name, constantFrom('content', 'message', 'gen_ai.event.content')), value, { maxKeys: 3 }),
});
const span = record({
  attributes: dictionary(name, value, { maxKeys: 12 }).map((attributes) => ({ 'gen_ai.request.model': 'm', ...attributes })),
  events: array(event, { maxLength: 3 }),
  status: record({ code: integer({ min: 0, max: 3 }) }),
});

it('whatever attributes say, a span becomes at most one call, whose bodies are JSON', () => {
  check(
    property(array(span, { maxLength: 4 }), (spans) => {
      const { calls, rejected } = received(spans.map((each, index) => ({ ...each, spanId: spanIdOf(index + 1) })));
      expect(rejected).toEqual([]);
      expect(calls.length).toBeLessThanOrEqual(spans.length);
      for (const call of calls) {
        const { requestBody, responseBody } = readCall(call);
        expect([typeof requestBody, typeof responseBody]).toEqual(['object', 'object']);
        expect(call.response.status).toBeGreaterThanOrEqual(100);
        // A record has whole milliseconds.
        expect([call.startedAt, call.elapsedMs, call.firstTokenMs ?? 0].every(Number.isInteger)).toBe(true);
      }
    }),
    { numRuns: byLength(600, 3000) },
  );
});

it('bytes that are no message are malformed, and nothing else', () => {
  const message = array(tuple(integer({ min: 1, max: 16 }), oneof(uint8Array({ maxLength: 40 }), integer({ min: 0 }))), {
    maxLength: 5,
  });
  const bytes = oneof(
    uint8Array({ maxLength: 200 }),
    message.map(written),
    message.map((fields) => written([[1, written([[2, written([[2, written(fields)]])]])]])),
  );
  check(
    property(bytes, (body) => {
      expect(failureOf(body)).toSatisfy((failure) => failure === undefined || failure instanceof MalformedSpans);
    }),
    { numRuns: byLength(1000, 5000) },
  );
});

function failureOf(body: Uint8Array): unknown {
  try {
    decodeProtobuf(body);
    return undefined;
  } catch (error) {
    return error;
  }
}

function written(fields: readonly (readonly [number, Uint8Array | number])[]): Uint8Array {
  const writer = new PbfWriter();
  for (const [field, content] of fields) {
    if (typeof content === 'number') writer.writeVarintField(field, content);
    else writer.writeBytesField(field, content);
  }
  return writer.finish();
}
