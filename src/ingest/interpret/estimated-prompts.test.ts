import { expect, test } from 'vitest';
import { interpret, stream } from '../testing/exchange-builder.ts';

const open = { provider: 'openai', path: '/v1/chat/completions', openedAt: Date.parse('2026-01-15') };
const deltas = (delta: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'gpt-4o-mini', choices: [{ index: 0, delta }] })}\n\n`;

const calling = (id: string, country: string) => ({
  id,
  type: 'function',
  function: { name: 'get_capital', arguments: JSON.stringify({ country }) },
});
const [first, second] = ['pyd_ai_5c28ff78075941bd9a9fd2f43fe84ae1', 'call_NihFwNUckQ2eDoE0a9OQaO5l'];
const capitals = {
  model: 'gpt-4o-mini',
  messages: [
    { role: 'user', content: 'What is the capital of France?' },
    { role: 'assistant', content: null, tool_calls: [calling(first, 'France')] },
    { role: 'tool', content: 'Paris', tool_call_id: first },
    { role: 'assistant', content: 'The capital of France is Paris.' },
    { role: 'user', content: 'What is the capital of England?' },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'get_capital',
        description: 'Get the capital of a country.',
        strict: true,
        parameters: {
          type: 'object',
          additionalProperties: false,
          properties: { country: { type: 'string', description: 'The country name.' } },
          required: ['country'],
        },
      },
    },
  ],
};
const answered = [
  ...capitals.messages,
  { role: 'assistant', content: null, tool_calls: [calling(second, 'England')] },
  { role: 'tool', content: 'London', tool_call_id: second },
];
const weather = {
  model: 'gpt-4o-mini',
  messages: [
    { role: 'system', content: 'You are a helpful assistant that can answer to questions about the weather.' },
    { role: 'user', content: "What's the weather like in San Francisco?" },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'get_current_weather',
        description: 'Get the current weather in a given location',
        parameters: {
          type: 'object',
          properties: {
            location: { type: 'string', description: 'The city and state, e.g. San Francisco, CA' },
            unit: { type: 'string', description: 'The unit of temperature to return', enum: ['celsius', 'fahrenheit'] },
          },
          required: ['location'],
        },
      },
    },
  ],
};

/** Calls with what OpenAI counted for them: recorded ones, and the example of its cookbook. */
test.each([
  { name: 'a short question', request: { model: 'gpt-4o-mini', messages: capitals.messages.slice(0, 1) }, counted: 14 },
  { name: 'a call of a tool before', request: capitals, counted: 104 },
  { name: 'two calls of a tool before', request: { ...capitals, messages: answered }, counted: 129 },
  { name: 'the cookbook’s weather', request: weather, counted: 101 },
])('the estimate of $name is within a tenth of the $counted tokens that OpenAI counted', ({ request, counted }) => {
  const { usage } = interpret({ open, headers: stream, request: JSON.stringify(request), response: deltas({ content: 'x' }) });
  expect(usage.estimated).toBe(true);
  expect(Math.abs((usage.promptTokens ?? 0) / counted - 1), `${usage.promptTokens}`).toBeLessThan(1 / 10);
});

test('the estimate of a call of a tool that was written is near the 15 tokens that OpenAI counted', () => {
  const response = deltas({ tool_calls: [{ index: 0, ...calling(second, 'England') }] });
  const { usage } = interpret({ open, headers: stream, request: JSON.stringify(capitals), response });
  expect(usage.completionTokens).toBeGreaterThan(10);
  expect(usage.completionTokens).toBeLessThan(16);
});
