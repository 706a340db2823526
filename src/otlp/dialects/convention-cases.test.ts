import { describe, expect, it } from 'vitest';
import { callOf } from '../testing/spans.ts';

/**
 * What becomes of each case in `docs/gen-ai/non-normative/tests/cases` of open-telemetry/semantic-conventions-genai, by the case's name. The
 * documents have the cases' shape in words of our own. Cases that the convention's schemas refuse are taken as well: a recorded call is worth
 * more than a refused one.
 */
const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'gpt-4o' };

describe.each<[string, unknown, unknown]>([
  [
    'input-messages-generic-part',
    [
      {
        role: 'user',
        parts: [
          { type: 'text', content: 'Use the result.' },
          { type: 'generic', generic_type: 'search_result', title: 'A page', content: [{ type: 'text', text: 'A framework.' }] },
        ],
      },
    ],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Use the result.' },
          { type: 'generic', generic_type: 'search_result', title: 'A page', content: [{ type: 'text', text: 'A framework.' }] },
        ],
      },
    ],
  ],
  [
    'input-messages-message-missing-required',
    [{ role: 'user' }, { parts: [{ type: 'text', content: 'hi' }] }],
    [
      { role: 'user', content: '' },
      { role: 'user', content: 'hi' },
    ],
  ],
  [
    'input-messages-parts-missing-required',
    [{ role: 'user', parts: [{ type: 'text' }, { type: 'blob', mime_type: 'image/png' }] }],
    [{ role: 'user', content: [{ type: 'blob', mime_type: 'image/png' }] }],
  ],
  [
    'input-messages-text-messages',
    [
      { role: 'system', parts: [{ type: 'text', content: 'Help.' }] },
      { role: 'user', parts: [{ type: 'text', content: 'A joke, please.' }] },
    ],
    [
      { role: 'system', content: 'Help.' },
      { role: 'user', content: 'A joke, please.' },
    ],
  ],
  [
    'input-messages-tool-call-round-trip',
    [
      { role: 'user', parts: [{ type: 'text', content: 'Weather in Oslo?' }] },
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: { location: 'Oslo' } }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: 'rain, 9°C' }] },
    ],
    [
      { role: 'user', content: 'Weather in Oslo?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"location":"Oslo"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain, 9°C' },
    ],
  ],
  [
    'input-messages-unknown-part-type',
    [{ role: 'user', parts: [{ type: 'search_result', source: 'https://example.com/page' }] }],
    [{ role: 'user', content: [{ type: 'search_result', source: 'https://example.com/page' }] }],
  ],
])('%s', (_case, document, messages) => {
  it.each([
    ['as a structure', document],
    ['as JSON in a text', JSON.stringify(document)],
  ])('%s', (_form, value) => {
    expect(callOf({ attributes: { ...chat, 'gen_ai.input.messages': value } }).requestBody['messages']).toEqual(messages);
  });
});

it.each<[string, unknown, unknown]>([
  [
    'output-messages-assistant-text',
    [{ role: 'assistant', parts: [{ type: 'text', content: 'It knows how to trace.' }], finish_reason: 'stop' }],
    [{ index: 0, message: { role: 'assistant', content: 'It knows how to trace.' }, finish_reason: 'stop' }],
  ],
  [
    'output-messages-reasoning-and-generic-parts',
    [
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'A short answer is wanted.' },
          { type: 'redacted_thinking', data: 'EmwK' },
        ],
        finish_reason: 'stop',
      },
    ],
    [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: [{ type: 'redacted_thinking', data: 'EmwK' }],
          reasoning_content: 'A short answer is wanted.',
        },
        finish_reason: 'stop',
      },
    ],
  ],
  [
    'output-messages-wrong-field-types',
    [
      { role: 'assistant', parts: [{ type: 'generic', generic_type: 123 }], finish_reason: 0 },
      { role: 'assistant', parts: { type: 'text', content: 'oops' } },
    ],
    [
      { index: 0, message: { role: 'assistant', content: [{ type: 'generic', generic_type: 123 }] }, finish_reason: null },
      { index: 1, message: { role: 'assistant', content: 'oops' }, finish_reason: null },
    ],
  ],
])('%s', (_case, document, choices) => {
  expect(callOf({ attributes: { ...chat, 'gen_ai.output.messages': document } }).responseBody['choices']).toEqual(choices);
});

it.each<[string, unknown, unknown]>([
  [
    'system-instructions-text-and-generic-parts',
    [
      { type: 'text', content: 'Help.' },
      { type: 'generic', generic_type: 'cache_control', cache_control: { type: 'ephemeral' } },
    ],
    [{ role: 'system', content: 'Help.' }],
  ],
  ['system-instructions-unsupported-parts', ['Help.', { type: 'tool_call', name: 'get_weather' }], [{ role: 'system', content: 'Help.' }]],
])('%s', (_case, document, messages) => {
  expect(callOf({ attributes: { ...chat, 'gen_ai.system_instructions': document } }).requestBody['messages']).toEqual(messages);
});

it.each<[string, unknown, unknown]>([
  [
    'tool-definitions-function-and-builtin-tools',
    [
      { type: 'function', name: 'get_weather', description: 'The weather', parameters: { type: 'object', required: ['location'] } },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
    ],
    [
      {
        type: 'function',
        function: { name: 'get_weather', description: 'The weather', parameters: { type: 'object', required: ['location'] } },
      },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
    ],
  ],
  [
    'tool-definitions-missing-required',
    [{ type: 'function', description: 'no name' }, { name: 'no type' }],
    [
      { type: 'function', function: { name: '', description: 'no name' } },
      { type: 'function', function: { name: 'no type' } },
    ],
  ],
])('%s', (_case, document, tools) => {
  expect(callOf({ attributes: { ...chat, 'gen_ai.tool.definitions': document } }).requestBody['tools']).toEqual(tools);
});

const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'get_weather' };

it.each<[string, unknown, unknown]>([
  ['tool-call-arguments-object', { location: 'Oslo' }, { location: 'Oslo' }],
  ['tool-call-arguments-not-an-object', '{"location": "Oslo"}', { location: 'Oslo' }],
])('%s', (_case, document, input) => {
  expect(callOf({ attributes: { ...tool, 'gen_ai.tool.call.arguments': document } }).requestBody['input']).toEqual(input);
});

it.each<[string, unknown]>([
  ['tool-call-result-object', { temperature: 9 }],
  ['tool-call-result-not-an-object', [{ temperature: 9 }]],
])('%s', (_case, document) => {
  expect(callOf({ attributes: { ...tool, 'gen_ai.tool.call.result': document } }).responseBody['output']).toEqual(document);
});

it.each<[string, string, string, unknown]>([
  [
    'retrieval-documents-documents',
    'retrieval',
    'gen_ai.retrieval.documents',
    [{ id: 'doc-1', score: 0.5, title: 'A page' }, { id: 'doc-2' }, {}],
  ],
  ['retrieval-documents-wrong-field-types', 'retrieval', 'gen_ai.retrieval.documents', [{ id: 42, score: '0.5' }]],
  [
    'memory-records-records',
    'search_memory',
    'gen_ai.memory.records',
    [{ id: 'mem-1', content: 'metric', score: 0.5 }, { content: { fact: 'Ada' } }],
  ],
  [
    'memory-records-missing-content',
    'search_memory',
    'gen_ai.memory.records',
    [{ id: 'mem-1' }, { content: 'x', metadata: 'source=chat' }],
  ],
])('%s', (_case, operation, attribute, document) => {
  expect(callOf({ attributes: { 'gen_ai.operation.name': operation, [attribute]: document } }).responseBody['results']).toEqual(document);
});
