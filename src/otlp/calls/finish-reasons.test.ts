import { expect, test } from 'vitest';
import { finishReason, stopReason } from './finish-reasons.ts';

test.each([
  // OpenAI
  ['stop', 'stop', 'end_turn'],
  ['length', 'length', 'max_tokens'],
  ['tool_calls', 'tool_calls', 'tool_use'],
  ['content_filter', 'content_filter', 'refusal'],
  ['completed', 'stop', 'end_turn'],
  // Anthropic
  ['end_turn', 'stop', 'end_turn'],
  ['stop_sequence', 'stop', 'stop_sequence'],
  ['max_tokens', 'length', 'max_tokens'],
  ['tool_use', 'tool_calls', 'tool_use'],
  ['refusal', 'content_filter', 'refusal'],
  ['model_context_window_exceeded', 'length', 'model_context_window_exceeded'],
  // The AI SDK
  ['tool-calls', 'tool_calls', 'tool_use'],
  ['content-filter', 'content_filter', 'refusal'],
  // OpenTelemetry
  ['tool_call', 'tool_calls', 'tool_use'],
  // Google
  ['STOP', 'stop', 'end_turn'],
  ['MAX_TOKENS', 'length', 'max_tokens'],
  ['SAFETY', 'content_filter', 'refusal'],
  // Cohere
  ['COMPLETE', 'stop', 'end_turn'],
  ['TOOL_CALL', 'tool_calls', 'tool_use'],
  // Amazon
  ['guardrail_intervened', 'content_filter', 'refusal'],
  // Without a counterpart
  ['pause_turn', 'pause_turn', 'pause_turn'],
  ['function_call', 'function_call', 'function_call'],
  ['error', 'error', 'error'],
  ['', null, null],
  [undefined, null, null],
])('%s is %s in a body of OpenAI and %s in one of Anthropic', (told, openAi, anthropic) => {
  expect([finishReason(told), stopReason(told)]).toEqual([openAi, anthropic]);
});
