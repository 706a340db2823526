import { describe, expect, it } from 'vitest';
import { anthropicMessages } from '../anthropic/messages.ts';
import type { WireFormat } from '../format/provider.ts';
import { describeWireFormat } from '../testing/contract-suite.ts';
import { readAmazonEvents } from './event-stream.ts';
import { invokedAtBedrock } from './invocation-metrics.ts';
import { bedrockInvoke } from './invoke.ts';
import { encodeAmazonChunks } from './testing/encode-events.ts';

describeWireFormat(bedrockInvoke, {
  folder: new URL('./__fixtures__/', import.meta.url),
  prefix: 'invoke-',
  path: '/model/amazon.nova-lite-v1%3A0/invoke-with-response-stream',
  framing: 'amazon chunks',
  lacks: { user: 'makers of models at Bedrock have no place for an end user' },
});

/** As the last chunk of a stream has it (AWS samples, "InvokeModelWithResponseStream"). The input does not count what a cache has. */
const metrics = {
  inputTokenCount: 30,
  outputTokenCount: 7,
  invocationLatency: 900,
  firstByteLatency: 200,
  cacheReadInputTokenCount: 20,
  cacheWriteInputTokenCount: 5,
};

const streamed = (format: WireFormat, chunks: readonly object[]) => {
  const events = chunks.map((chunk) => ({ event: 'message', data: JSON.stringify(chunk) }));
  const { body, isComplete } = format.assembleStream(readAmazonEvents(encodeAmazonChunks(events)).events);
  return { ...format.readResponse(body), isComplete };
};
const last = { 'amazon-bedrock-invocationMetrics': metrics };
const counts = { promptTokens: 55, completionTokens: 7, promptCacheReadTokens: 20, promptCacheWriteTokens: 5 };

/** Streams of the makers, each as the User Guide's page on that maker's parameters shows it. */
describe('a stream that Bedrock invoked has the text of its maker and the counts of Bedrock', () => {
  it.each([
    {
      maker: 'Mistral',
      chunks: [{ outputs: [{ text: 'Six', stop_reason: null }] }, { outputs: [{ text: ' sharp.', stop_reason: 'stop' }], ...last }],
      reason: 'stop',
    },
    {
      maker: 'Cohere',
      chunks: [
        { text: 'Six', is_finished: false },
        { text: ' sharp.', is_finished: false },
        { is_finished: true, finish_reason: 'COMPLETE', ...last },
      ],
      reason: 'COMPLETE',
    },
    {
      maker: 'OpenAI, Qwen and others with chat chunks',
      chunks: [
        { choices: [{ index: 0, delta: { role: 'assistant', content: 'Six' }, finish_reason: null }] },
        { choices: [{ index: 0, delta: { content: ' sharp.' }, finish_reason: 'stop' }], ...last },
      ],
      reason: 'stop',
    },
    {
      maker: 'DeepSeek',
      chunks: [
        { choices: [{ index: 0, text: 'Six', stop_reason: null }] },
        { choices: [{ index: 0, text: ' sharp.', stop_reason: 'stop' }], ...last },
      ],
      reason: 'stop',
    },
    {
      maker: 'Anthropic behind a profile of the caller',
      chunks: [
        { type: 'message_start', message: { type: 'message', id: 'm', content: [] } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Six sharp.' } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
        { type: 'message_stop', ...last },
      ],
      reason: 'end_turn',
    },
  ])('$maker', ({ chunks, reason }) => {
    expect(streamed(bedrockInvoke, chunks)).toMatchObject({
      completionText: 'Six sharp.',
      finishReason: reason,
      usage: { ...counts, raw: metrics },
      isComplete: true,
    });
  });

  it('except where the maker counts, as Llama and Titan do', () => {
    const llama = [
      { generation: 'Six', prompt_token_count: 31, generation_token_count: 1, stop_reason: null },
      { generation: ' sharp.', prompt_token_count: null, generation_token_count: 4, stop_reason: 'stop', ...last },
    ];
    expect(streamed(bedrockInvoke, llama)).toMatchObject({
      completionText: 'Six sharp.',
      finishReason: 'stop',
      usage: { promptTokens: 31, completionTokens: 4 },
    });
    const titan = [
      { outputText: 'Six', index: 0, inputTextTokenCount: 31, totalOutputTextTokenCount: null, completionReason: null },
      { outputText: ' sharp.', index: 1, inputTextTokenCount: null, totalOutputTextTokenCount: 4, completionReason: 'FINISH', ...last },
    ];
    expect(streamed(bedrockInvoke, titan)).toMatchObject({
      completionText: 'Six sharp.',
      finishReason: 'FINISH',
      usage: { promptTokens: 31, completionTokens: 4 },
    });
  });

  it('and Claude has those that it reports, with the rest from Bedrock', () => {
    const claude = invokedAtBedrock(anthropicMessages);
    const chunks = [
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 12, cache_read_input_tokens: 9, output_tokens: 1 } } },
      { type: 'message_stop', ...last },
    ];
    expect(streamed(claude, chunks).usage).toMatchObject({ promptTokens: 21, promptCacheReadTokens: 9, completionTokens: 7 });
  });

  it('and without its last chunk is not whole, and has no counts', () => {
    expect(streamed(bedrockInvoke, [{ outputs: [{ text: 'Six' }] }])).toMatchObject({
      completionText: 'Six',
      isComplete: false,
      usage: { promptTokens: null },
    });
  });

  it('and an error in its middle beside its text', () => {
    const error = { type: 'error', error: { type: 'throttlingException', message: 'slow' } };
    const events = [{ outputs: [{ text: 'Six' }] }, error].map((chunk) => ({ event: 'message', data: JSON.stringify(chunk) }));
    expect(bedrockInvoke.assembleStream(events).body).toMatchObject({ outputs: [{ text: 'Six' }], error: error.error });
  });
});

describe('a response that Bedrock invoked', () => {
  const headers = {
    'x-amzn-bedrock-input-token-count': '30',
    'x-amzn-bedrock-output-token-count': '7',
    'x-amzn-bedrock-cache-read-input-token-count': '20',
    'x-amzn-bedrock-cache-write-input-token-count': '5',
  };
  const read = (body: object, given: Readonly<Record<string, string>> = headers) =>
    bedrockInvoke.readHeaders?.(bedrockInvoke.readResponse(body), given);

  it.each([
    { maker: 'Mistral', body: { outputs: [{ text: 'Six sharp.', stop_reason: 'stop' }] } },
    { maker: 'Cohere', body: { generations: [{ text: 'Six sharp.', finish_reason: 'COMPLETE' }] } },
    { maker: 'Cohere Command R', body: { text: 'Six sharp.', finish_reason: 'COMPLETE' } },
    { maker: 'AI21', body: { completions: [{ data: { text: 'Six sharp.' } }] } },
    { maker: 'DeepSeek', body: { choices: [{ text: 'Six sharp.', stop_reason: 'stop' }] } },
    { maker: 'Claude 2', body: { completion: 'Six sharp.', stop_reason: 'stop_sequence' } },
  ])('of $maker has the counts of its headers', ({ body }) => {
    expect(read(body)).toMatchObject({ completionText: 'Six sharp.', usage: counts });
  });

  it('has the counts of its body where both have some, and none from a header that is no count', () => {
    const body = { generation: 'Six', prompt_token_count: 31, generation_token_count: 4 };
    expect(read(body)).toMatchObject({ usage: { promptTokens: 31, completionTokens: 4 } });
    expect(read({ results: [{ outputText: 'Six', tokenCount: 4 }], inputTextTokenCount: 31 })).toMatchObject({
      usage: { promptTokens: 31, completionTokens: 4 },
    });
    expect(read({ outputs: [] }, { 'x-amzn-bedrock-input-token-count': '-1' })).toMatchObject({ usage: { promptTokens: null } });
  });

  it('is read from the prompt of whatever name', () => {
    const path = '/model/meta.llama3-8b-instruct-v1%3A0/invoke';
    for (const body of [
      { prompt: 'Hi' },
      { inputText: 'Hi' },
      { message: 'Hi' },
      { texts: ['Hi'] },
      { anthropic_version: 'x', messages: [{ role: 'user', content: 'Hi' }] },
    ]) {
      expect(bedrockInvoke.readRequest(body, path)).toMatchObject({ model: 'meta.llama3-8b-instruct-v1:0', lastUserText: 'Hi' });
    }
  });
});
