import { describe, expect, it } from 'vitest';
import { isCacheable } from './cacheable.ts';

const json = 'application/json';
const events = 'text/event-stream; charset=utf-8';
const delta = 'data: {"choices":[{"delta":{"content":"say \\"error\\" or [DONE]"}}]}\n\n';
const done = 'data: [DONE]\n\n';

const cases: readonly [what: string, isKept: boolean, contentType: string, body: string][] = [
  ['an answer', true, json, '{"choices":[{"message":{"content":"the \\"error\\":"}}]}'],
  ['an answer whose error is null', true, json, '{"id":"r","error":null}'],
  ['an answer that names an error below the top', true, json, '{"content":[{"type":"tool_use","input":{"error":{"code":5}}}]}'],
  ['an error, first or last', false, json, '{"id":"x","choices":[], "error" : {"code":502}}'],
  ['an error’s text', false, json, '{"error":"overloaded"}'],
  ['a choice that failed', false, json, '{"choices":[{"finish_reason": "error"}]}'],
  ['Cohere’s answer that failed', false, json, '{"finish_reason":"ERROR","message":{"content":[]}}'],
  ['Cohere’s answer that took too long', false, json, '{"finish_reason":"TIMEOUT","message":{"content":[]}}'],
  ['Cohere’s answer', true, json, '{"finish_reason":"COMPLETE","message":{"content":[{"text":"\\"ERROR\\""}]}}'],
  ['an array of events, one of them an error', false, json, '[{"candidates":[]},\n{ "error": {"code":503}}]'],
  ['what only looks like JSON', false, json, '{"error":{'],
  ['a text', true, 'text/plain', 'an "error"'],
  ['nothing', true, '', ''],
  ['a stream with its end', true, events, delta + done],
  ['without the white space', true, 'Text/Event-Stream', `${delta}data:[DONE]\r\n`],
  ['a stream that just ends', false, events, delta],
  ['a stream that says why it finished, without its end', false, events, 'data: {"choices":[{"finish_reason":"stop"}]}\n\n'],
  ['an error before the end, behind other members', false, events, `data: {"id":"x","choices":[],"error":{"code":502}}\n\n${done}`],
  ['an error that is null before the end', true, events, `data: {"error":null}\n\n${done}`],
  ['an error over several lines', false, events, `data: {"error":\ndata: {}}\n\n${done}`],
  ['a choice that failed before the end', false, events, `data: {"choices":[{"finish_reason":"error"}]}\n\n${done}`],
  ['Anthropic’s stream', true, events, 'event: message_stop\ndata: {"type":"message_stop"}\n\n'],
  ['Anthropic’s stream, cut', false, events, 'event: message_delta\ndata: {"type":"message_delta"}\n\n'],
  [
    'Anthropic’s error',
    false,
    events,
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\ndata: {"type":"message_stop"}\n\n',
  ],
  ['OpenAI’s responses', true, events, 'data: {"type":"response.completed","response":{"error":null}}\n\n'],
  ['OpenAI’s responses, cut short on purpose', true, events, 'data: {"type":"response.incomplete","response":{}}\n\n'],
  ['OpenAI’s failed response', false, events, `data: {"type":"response.failed","response":{"error":{}}}\n\n${done}`],
  ['OpenAI’s picture', true, events, 'data: {"type":"image_generation.completed"}\n\n'],
  ['OpenAI’s transcription', true, events, 'data: {"type":"transcript.text.done","text":"a"}\n\n'],
  ['Mistral’s transcription', true, events, 'data: {"type":"transcription.done","text":"a"}\n\n'],
  ['Mistral’s transcription, cut', false, events, 'data: {"type":"transcription.text.delta","text":"a"}\n\n'],
  ['Gemini’s stream, which has no end', true, events, 'data: {"candidates":[{"finishReason": "STOP"}]}\r\n\r\n'],
  ['Gemini’s stream, cut', false, events, 'data: {"candidates":[{"content":{}}]}\r\n\r\n'],
  ['Ollama’s stream', true, 'application/x-ndjson', '{"done":false}\n{"done":true}\n'],
  ['Ollama’s stream, cut', false, 'application/x-ndjson', '{"done":false}\n'],
  ['Ollama’s error', false, 'application/x-ndjson', '{"done":false}\n{"error":"out of memory"}\n{"done":true}\n'],
  ['Bedrock’s stream', true, 'application/vnd.amazon.eventstream', '\u0000\u000b:event-type\u0007messageStop'],
  ['a stream under no content type', true, '', delta + done],
  ['a stream under another content type, cut', false, json, `: ping\n\n${delta}`],
  ['a stream under another content type with an error', false, 'text/plain', `\ufeff\n${delta}event: error\ndata: {}\n\n${done}`],
  ['an answer under the content type of a stream', true, events, '{"choices":[{"message":{"content":"Hi"}}]}'],
  ['an error under the content type of a stream', false, events, '{"error":"overloaded"}'],
  ['Ollama’s stream under another content type, cut', false, json, '{"done":false}\n{"done":false}\n'],
  ['an answer over several lines', true, json, '{\n  "choices": [],\n  "done": false\n}'],
  ['Bedrock’s failure', false, 'application/vnd.amazon.eventstream', '\u0000\u000f:exception-type\u0007throttlingException'],
];

describe('worth keeping', () => {
  for (const [what, isKept, contentType, body] of cases) {
    it(`${isKept ? 'is' : 'is not'} ${what}: ${contentType}`, () => {
      expect(isCacheable(Buffer.from(body), contentType)).toBe(isKept);
    });
  }
});
