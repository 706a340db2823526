import type { Answer, Prompt, ToolCall, Turn } from './base/conversation.ts';

export interface Counts {
  readonly prompt: number;
  readonly completion: number;
  /** Part of the prompt. */
  readonly cacheRead: number;
  /** Part of the prompt. */
  readonly cacheWrite: number;
  /** Part of the completion. */
  readonly reasoning: number;
}

export interface Reply {
  readonly id: string;
  readonly answer: Answer;
  /** Undefined: it broke off before they came. */
  readonly counts: Counts | undefined;
}

export interface ErrorReply {
  readonly type: string;
  readonly message: string;
}

/** How a provider's API writes a call. */
export interface Wire {
  readonly provider: string;
  readonly path: (model: string) => string;
  readonly request: (model: string, prompt: Prompt) => object;
  readonly response: (model: string, reply: Reply) => object;
  readonly error: (error: ErrorReply) => object;
}

const openAiError = ({ type, message }: ErrorReply): object => ({ error: { message, type, param: null, code: null } });

export const chat: Wire = {
  provider: 'OPENAI',
  path: () => '/v1/chat/completions',
  request: (model, { system, tools, turns }) => ({
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...turns.map(chatMessage)],
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    stream: true,
    stream_options: { include_usage: true },
  }),
  response: (model, { id, answer, counts }) => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    model,
    choices: [
      {
        index: 0,
        message: chatMessage({ role: 'assistant', ...answer }),
        finish_reason: counts === undefined ? null : ended(answer, 'tool_calls', 'stop'),
      },
    ],
    ...(counts === undefined
      ? {}
      : {
          usage: {
            prompt_tokens: counts.prompt,
            completion_tokens: counts.completion,
            total_tokens: counts.prompt + counts.completion,
            prompt_tokens_details: { cached_tokens: counts.cacheRead },
          },
        }),
  }),
  error: openAiError,
};

function ended({ call }: Answer, withCall: string, without: string): string {
  return call === undefined ? without : withCall;
}

function chatMessage(turn: Turn): object {
  if (turn.role === 'tool') return { role: 'tool', tool_call_id: turn.call.id, content: turn.output };
  const { role, text } = turn;
  if (role === 'user' || turn.call === undefined) return { role, content: text };
  return { role, content: text === '' ? null : text, tool_calls: [chatCall(turn.call)] };
}

function chatCall({ id, name, input }: ToolCall): object {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

export const responses: Wire = {
  provider: 'OPENAI',
  path: () => '/v1/responses',
  request: (model, { system, tools, turns }) => ({
    model,
    instructions: system,
    input: turns.flatMap(responseItems),
    tools: tools.map((tool) => ({ type: 'function', ...tool })),
    stream: true,
    store: false,
  }),
  response: (model, { id, answer, counts }) => ({
    id: `resp_${id}`,
    object: 'response',
    status: counts === undefined ? 'in_progress' : 'completed',
    model,
    output: responseItems({ role: 'assistant', ...answer }),
    ...(counts === undefined
      ? {}
      : {
          usage: {
            input_tokens: counts.prompt,
            input_tokens_details: { cached_tokens: counts.cacheRead },
            output_tokens: counts.completion,
            output_tokens_details: { reasoning_tokens: counts.reasoning },
            total_tokens: counts.prompt + counts.completion,
          },
        }),
  }),
  error: openAiError,
};

function responseItems(turn: Turn): readonly object[] {
  if (turn.role === 'tool') return [{ type: 'function_call_output', call_id: turn.call.id, output: turn.output }];
  const { role, text } = turn;
  const kind = role === 'user' ? 'input_text' : 'output_text';
  const message = text === '' ? [] : [{ type: 'message', role, content: [{ type: kind, text }] }];
  if (role === 'user' || turn.call === undefined) return message;
  const { id, name, input } = turn.call;
  return [...message, { type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) }];
}

export const messages: Wire = {
  provider: 'ANTHROPIC',
  path: () => '/v1/messages',
  request: (model, { system, tools, turns }) => ({
    model,
    max_tokens: 4096,
    system: [{ type: 'text', text: system }],
    ...(tools.length === 0
      ? {}
      : { tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })) }),
    messages: turns.map(anthropicMessage),
    stream: true,
  }),
  response: (model, { id, answer, counts }) => ({
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: anthropicContent(answer),
    stop_reason: counts === undefined ? null : ended(answer, 'tool_use', 'end_turn'),
    ...(counts === undefined
      ? {}
      : {
          usage: {
            input_tokens: counts.prompt - counts.cacheRead - counts.cacheWrite,
            cache_creation_input_tokens: counts.cacheWrite,
            cache_read_input_tokens: counts.cacheRead,
            output_tokens: counts.completion,
          },
        }),
  }),
  error: (error) => ({ type: 'error', error }),
};

function anthropicMessage(turn: Turn): object {
  if (turn.role === 'user') return { role: 'user', content: turn.text };
  if (turn.role === 'assistant') return { role: 'assistant', content: anthropicContent(turn) };
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: turn.call.id, content: turn.output }] };
}

function anthropicContent({ text, call }: Answer): readonly object[] {
  const said = text === '' ? [] : [{ type: 'text', text }];
  return call === undefined ? said : [...said, { type: 'tool_use', ...call }];
}

export const generateContent: Wire = {
  provider: 'GOOGLE',
  path: (model) => `/v1beta/models/${model}:streamGenerateContent`,
  request: (_, { system, turns }) => ({
    ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: turns.flatMap((turn) =>
      turn.role === 'tool' ? [] : [{ role: turn.role === 'user' ? 'user' : 'model', parts: [{ text: turn.text }] }],
    ),
  }),
  response: (model, { id, answer, counts }) => ({
    candidates: [
      { index: 0, content: { role: 'model', parts: [{ text: answer.text }] }, ...(counts === undefined ? {} : { finishReason: 'STOP' }) },
    ],
    ...(counts === undefined
      ? {}
      : {
          usageMetadata: {
            promptTokenCount: counts.prompt,
            candidatesTokenCount: counts.completion,
            totalTokenCount: counts.prompt + counts.completion,
          },
        }),
    modelVersion: model,
    responseId: id,
  }),
  error: ({ type, message }) => ({ error: { code: 429, message, status: type } }),
};
