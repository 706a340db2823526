/** The calls of a model that senders tell of; the same through the gateway gives the record that theirs is compared with. */

/** @typedef {'chat' | 'stream' | 'tools' | 'error'} Scenario */

export const system = 'Be short.';
export const question = 'When does the harbour open?';
export const tool = {
  name: 'timetable',
  description: 'When ferries leave',
  parameters: {
    type: /** @type {'object'} */ ('object'),
    properties: { port: { type: /** @type {'string'} */ ('string') } },
    required: ['port'],
  },
};

/** A model that the provider does not have. */
export const missingModel = 'no-such-model';

/**
 * @param {Scenario} scenario
 * @returns {import('openai/resources').ChatCompletionCreateParams}
 */
export function chatBody(scenario) {
  return {
    model: scenario === 'error' ? missingModel : 'gpt-4o',
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: question },
    ],
    temperature: 0.5,
    ...(scenario === 'stream' ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...(scenario === 'tools' ? { tools: [{ type: 'function', function: tool }] } : {}),
  };
}

/**
 * @param {Scenario} scenario
 * @returns {import('@anthropic-ai/sdk/resources/messages/messages').MessageCreateParamsBase}
 */
export function messagesBody(scenario) {
  return {
    model: scenario === 'error' ? missingModel : 'claude-sonnet-4-5',
    max_tokens: 1024,
    system,
    messages: [{ role: 'user', content: question }],
    stream: scenario === 'stream',
    ...(scenario === 'tools' ? { tools: [{ name: tool.name, description: tool.description, input_schema: tool.parameters }] } : {}),
  };
}

/**
 * Makes a call and reads its stream to the end; a refusal is an outcome too.
 * @param {() => PromiseLike<unknown>} call
 */
export async function whole(call) {
  try {
    const answer = await call();
    if (isStream(answer)) for await (const part of answer) void part;
  } catch (error) {
    if (!(error instanceof Error && ('status' in error || 'statusCode' in error))) throw error;
  }
}

/**
 * @param {unknown} answer
 * @returns {answer is AsyncIterable<unknown>}
 */
function isStream(answer) {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}
