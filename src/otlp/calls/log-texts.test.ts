import { describe, expect, it } from 'vitest';
import { MalformedSpans } from '../received/limits.ts';
import { decodeJsonLogs } from '../protocol/json-logs.ts';
import { decodeProtobufLogs } from '../protocol/protobuf-logs.ts';
import { encodedRequest } from '../testing/encode.ts';
import { encodedLogs, logsRequestOf, receivedLogs, type WrittenLog } from '../testing/logs.ts';
import { requestOf, spanIdOf, traceId } from '../testing/spans.ts';

const bodiesOf = (logs: readonly WrittenLog[]): readonly (readonly unknown[])[] =>
  receivedLogs(logs).calls.map(({ requestBody, response }) =>
    [requestBody, response.body].map((body) => (body.length === 0 ? undefined : (JSON.parse(Buffer.from(body).toString()) as unknown))),
  );

const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

// opentelemetry-instrumentation-openai-v2 (Python): the name is the record's own; @opentelemetry/instrumentation-openai: an attribute.
const conversation: readonly WrittenLog[] = [
  { eventName: 'gen_ai.system.message', body: { content: 'Be brief.' } },
  { attributes: { 'event.name': 'gen_ai.user.message', 'gen_ai.system': 'openai' }, body: { content: 'Weather in Bern?' } },
  {
    eventName: 'gen_ai.assistant.message',
    body: { tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } }] },
  },
  { eventName: 'gen_ai.tool.message', body: { id: 'call_1', content: 'Snow.' } },
  { eventName: 'gen_ai.choice', body: { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'It snows.' } } },
];

const called = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } };
const told = [
  {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather in Bern?' },
      { role: 'assistant', content: null, tool_calls: [called] },
      { role: 'tool', content: 'Snow.', tool_call_id: 'call_1' },
    ],
  },
  { choices: [{ index: 0, message: { role: 'assistant', content: 'It snows.' }, finish_reason: 'stop' }], usage },
];

const at = (index: number): bigint => BigInt(Date.UTC(2026, 10, 1)) * 1_000_000n + BigInt(index) * 1000n;

describe('log records of a span', () => {
  it('tell its messages and its choices, one each', () => {
    expect(bodiesOf(conversation)).toEqual([told]);
  });

  it('are read in the order of their nanoseconds', () => {
    const shuffled = conversation.map((log, index) => ({ ...log, at: at(index) })).toReversed();
    expect(bodiesOf(shuffled)).toEqual([told]);
  });

  it.each([
    ['attributes', (details: object) => ({ attributes: details as Record<string, unknown> })],
    ['the body', (details: object) => ({ body: details })],
  ])('tell all of it in one, with the details in %s', (_where, written) => {
    const details = {
      'gen_ai.system_instructions': [{ type: 'text', content: 'Be brief.' }],
      'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'Weather?' }] }],
      'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: 'Snow.' }], finish_reason: 'stop' }],
    };
    expect(bodiesOf([{ eventName: 'gen_ai.client.inference.operation.details', ...written(details) }])).toEqual([
      [
        {
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Weather?' },
          ],
        },
        { choices: [{ index: 0, message: { role: 'assistant', content: 'Snow.' }, finish_reason: 'stop' }], usage },
      ],
    ]);
  });

  it('of several spans are apart', () => {
    const second = conversation.slice(-1).map((log) => ({ ...log, spanId: spanIdOf(2) }));
    const { calls } = receivedLogs([...conversation.slice(0, 2), ...second]);
    expect(calls.map(({ span, requestBody, response }) => [span?.ids, requestBody.length > 0, response.body.length > 0])).toEqual([
      [[spanIdOf(1)], true, false],
      [[spanIdOf(2)], false, true],
    ]);
  });

  it('that hold no content, as it is not to be captured, tell nothing', () => {
    const empty: readonly WrittenLog[] = [
      { eventName: 'gen_ai.user.message', body: {} },
      { eventName: 'gen_ai.choice', body: { index: 0, finish_reason: 'stop', message: { role: 'assistant' } } },
    ];
    expect(receivedLogs(empty)).toMatchObject({ calls: [], others: 2 });
  });

  it('of applications, of no span or without a name are others', () => {
    const others: readonly WrittenLog[] = [
      { body: 'started' },
      { eventName: 'app.started', body: { content: 'x' } },
      { ...conversation[1], spanId: '' },
      { ...conversation[1], traceId: '0'.repeat(32) },
    ];
    expect(receivedLogs(others)).toMatchObject({ calls: [], others: 4 });
  });

  it('come out with one identifier each time', () => {
    const ids = [conversation, conversation].map((logs) => receivedLogs(logs).calls.map(({ requestId }) => requestId));
    expect(ids[0]).toEqual(ids[1]);
    expect(receivedLogs(conversation.slice(1)).calls[0]?.requestId).not.toBe(ids[0]?.[0]);
  });
});

describe('a request with log records', () => {
  it('says the same in both encodings', () => {
    const json = decodeJsonLogs(JSON.stringify(logsRequestOf(conversation)));
    expect(decodeProtobufLogs(encodedLogs(conversation))).toEqual(json);
    expect(json.records).toHaveLength(conversation.length);
  });

  it('that rejects one takes the others', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 40; level += 1) deep = [deep];
    const logs = [{ ...conversation[1], body: { content: deep } }, ...conversation.slice(2)];
    for (const decoded of [decodeJsonLogs(JSON.stringify(logsRequestOf(logs))), decodeProtobufLogs(encodedLogs(logs))]) {
      expect(decoded).toMatchObject({ rejected: ['an attribute is nested over 32 levels'], records: { length: logs.length - 1 } });
    }
  });

  it.each([
    ['text', Buffer.from('hello')],
    ['JSON', Buffer.from(JSON.stringify(logsRequestOf(conversation)))],
    ['spans', encodedRequest(requestOf([{ traceId, name: 'chat' }]))],
    ['a part of one', encodedLogs(conversation).subarray(0, 100)],
  ])('in protocol buffers is not %s', (_what, bytes) => {
    expect(() => decodeProtobufLogs(bytes)).toThrow(MalformedSpans);
  });

  it.each(['', 'hello', '[]', '{"resourceLogs":{}}', '{"resourceLogs":[{"scopeLogs":[{"logRecords":[1]}]}]}', '{"resourceLogs":[{'])(
    'in JSON is not %s',
    (text) => {
      expect(() => decodeJsonLogs(text)).toThrow(MalformedSpans);
    },
  );
});
