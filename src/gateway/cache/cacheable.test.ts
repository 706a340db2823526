import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { encodeAmazonChunks, encodeAmazonEvents } from '../../providers/amazon/testing/encode-events.ts';
import { readServerSentEvents } from '../../providers/format/sse.ts';
import { isCacheable } from './cacheable.ts';

const json = 'application/json';
const events = 'text/event-stream; charset=utf-8';
const delta = 'data: {"choices":[{"delta":{"content":"say \\"error\\" or [DONE]"}}]}\n\n';
const done = 'data: [DONE]\n\n';

const recorded = (name: string): Buffer => readFileSync(new URL(`../../providers/${name}`, import.meta.url));
const amazon = 'application/vnd.amazon.eventstream';
const conversation = readServerSentEvents([recorded('amazon/__fixtures__/converse-response.sse')]);
const invoked = readServerSentEvents([recorded('amazon/__fixtures__/invoke-response.sse')]);
const claude = readServerSentEvents([recorded('anthropic/__fixtures__/messages-response.sse')]);
const llama = [
  { event: '', data: '{"generation":"Six","stop_reason":null}' },
  { event: '', data: '{"generation":"","stop_reason":"stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":4}}' },
];
const untilStop = conversation.slice(
  0,
  conversation.findIndex(({ event }) => event === 'messageStop'),
);
const geminiList = recorded('google/__fixtures__/generate-list.txt').toString();
const choiceError = '"error":{"code":502,"message":"Network connection lost"}';

const cases: readonly [what: string, isKept: boolean, contentType: string, body: string | Buffer][] = [
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
  [
    'a series of chunks that says why it finished',
    true,
    json,
    '{"choices":[{"delta":{}}]}\n{"choices":[{"delta":{},"finish_reason":"stop"}]}\n',
  ],
  ['a series of chunks, cut', false, json, '{"choices":[{"delta":{}}]}\n{"choices":[{"delta":{"content":"H"},"finish_reason":null}]}\n'],
  ['a series of events', true, json, '{"type":"content_block_delta","delta":{}}\n{"type":"message_stop"}\n'],
  ['a series of events, cut', false, json, '{"type":"content_block_delta","delta":{}}\n{"type":"content_block_delta","delta":{}}\n'],
  ['a file of lines', true, 'application/jsonl', '{"custom_id":"a","error":null}\n{"custom_id":"b","error":null}\n'],
  ['Cohere’s older stream', true, 'application/stream+json', '{"is_finished":false}\n{"is_finished":true}\n'],
  ['Cohere’s older stream, cut', false, 'application/stream+json', '{"is_finished":false}\n{"is_finished":false}\n'],
  ['a choice with an error', false, json, `{"choices":[{"finish_reason":"stop","message":{},${choiceError}}]}`],
  ['a choice whose error is null', true, json, '{"choices":[{"finish_reason":"stop","message":{},"error":null}]}'],
  ['a choice whose filter failed', true, json, `{"choices":[{"finish_reason":"stop","content_filter_results":{${choiceError}}}]}`],
  ['a later choice with an error', false, json, `{"choices":[{"index":0},{"index":1,${choiceError}}]}`],
  ['a choice with an error in a stream', false, events, `data: {"choices":[{"delta":{},${choiceError}}]}\n\n${done}`],
  ['Bedrock’s stream', true, amazon, encodeAmazonEvents(conversation)],
  ['Bedrock’s stream under no content type', true, '', encodeAmazonEvents(conversation)],
  ['Bedrock’s stream without its end', false, amazon, encodeAmazonEvents(untilStop)],
  ['Bedrock’s stream without its end, under no content type', false, '', encodeAmazonEvents(untilStop)],
  ['Bedrock’s stream, cut within its last message', false, amazon, encodeAmazonEvents(conversation).subarray(0, -5)],
  ['an invoked stream', true, amazon, encodeAmazonChunks(invoked)],
  ['an invoked stream of Anthropic’s', true, amazon, encodeAmazonChunks(claude)],
  ['an invoked stream of Anthropic’s, cut', false, amazon, encodeAmazonChunks(claude.slice(0, -1))],
  ['an invoked stream of Llama’s', true, amazon, encodeAmazonChunks(llama)],
  ['an invoked stream of Llama’s, cut', false, amazon, encodeAmazonChunks(llama.slice(0, -1))],
  ['an invoked stream with an error', false, amazon, encodeAmazonChunks([{ event: '', data: `{${choiceError}}` }, ...llama])],
  ['sound that looks like a message', true, 'audio/pcm', Buffer.from([0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0])],
  ['an error under the content type of messages', false, amazon, '{"error":"overloaded"}'],
  ['Gemini’s list', true, json, geminiList],
  ['Gemini’s list without its bracket', false, json, geminiList.trimEnd().slice(0, -1)],
  [
    'Gemini’s list, cut within an element',
    false,
    json,
    geminiList.slice(0, geminiList.lastIndexOf(']', geminiList.lastIndexOf(']') - 1) + 1),
  ],
  ['Gemini’s list without its reason', false, json, geminiList.replace('"finishReason": "STOP",', '')],
  ['Gemini’s list without its reason, for another content type', false, '', '[{"candidates":[{"content":{}}]}\n,\n{"usageMetadata":{}}]'],
  ['Gemini’s list that was blocked', true, json, '[{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{}}]'],
  ['Gemini’s stream that was blocked', true, events, 'data: {"promptFeedback":{"blockReason":"SAFETY"}}\r\n\r\n'],
  ['a list with an error behind other members', false, json, '[{"candidates":[{"finishReason":"STOP"}]},{"code":503,"error":"Busy"}]'],
  ['a list of other objects', true, json, '[{"generated_text":"the \\"error\\""},{"error":null}]'],
  ['a list of more objects than are looked at', false, json, `[${'{},'.repeat(10_000)}{}]`],
  ['an empty list', true, json, '[]'],
  ['a list of vectors', true, json, '[[0.1,0.2],[0.3,0.4]]'],
  ['a text in brackets', true, 'text/plain', '[Music] Hello'],
  ['a stream under no content type', true, '', delta + done],
  ['a stream under another content type, cut', false, json, `: ping\n\n${delta}`],
  ['a stream under another content type with an error', false, 'text/plain', `\ufeff\n${delta}event: error\ndata: {}\n\n${done}`],
  ['an answer under the content type of a stream', true, events, '{"choices":[{"message":{"content":"Hi"}}]}'],
  ['an error under the content type of a stream', false, events, '{"error":"overloaded"}'],
  ['Ollama’s stream under another content type, cut', false, json, '{"done":false}\n{"done":false}\n'],
  ['an answer over several lines', true, json, '{\n  "choices": [],\n  "done": false\n}'],
  ['Bedrock’s failure', false, amazon, encodeAmazonEvents([...conversation, { event: 'error', data: '{"type":"throttlingException"}' }])],
];

describe('worth keeping', () => {
  for (const [what, isKept, contentType, body] of cases) {
    it(`${isKept ? 'is' : 'is not'} ${what}: ${contentType}`, () => {
      expect(isCacheable(Buffer.from(body), contentType)).toBe(isKept);
    });
  }
});
