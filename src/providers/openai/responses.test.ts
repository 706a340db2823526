import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../model/text.ts';
import { describeWireFormat } from '../testing/contract-suite.ts';
import type { AssembledStream } from '../format/provider.ts';
import { readServerSentEvents } from '../format/sse.ts';
import { openAiResponses } from './responses.ts';

const recordings = new URL('./__fixtures__/', import.meta.url);
const bytesOf = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, recordings)));
const jsonOf = (name: string): unknown => parseJson(new TextDecoder().decode(bytesOf(name)));
const assemble = (name: string): AssembledStream => openAiResponses.assembleStream(readServerSentEvents([bytesOf(name)]));
const assembleEvents = (...events: readonly unknown[]): AssembledStream =>
  openAiResponses.assembleStream(events.map((event) => ({ event: 'message', data: JSON.stringify(event) })));

describeWireFormat(openAiResponses, { folder: recordings, prefix: 'responses-' });

describe('a request', () => {
  it('gives model, user, all texts with the instructions first, and what the user said last', () => {
    const lastUserText = 'When does the first ferry leave?\nThe photo shows the pier. 🛳️';
    expect(openAiResponses.readRequest(jsonOf('responses-request.json'), '/v1/responses')).toEqual({
      model: 'gpt-5-mini',
      user: 'passenger-17',
      cacheKey: '',
      promptText: ['You know the timetable of the harbour.', 'Good morning.', 'Good morning. Where to?', lastUserText].join('\n'),
      firstUserText: 'Good morning.',
      lastUserText,
    });
  });

  it('may be one text, and name the user as its safety identifier', () => {
    expect(openAiResponses.readRequest({ model: 'm', input: 'Hello', safety_identifier: 's' }, '')).toEqual({
      model: 'm',
      user: 's',
      cacheKey: '',
      promptText: 'Hello',
      firstUserText: 'Hello',
      lastUserText: 'Hello',
    });
  });
});

describe('a response', () => {
  it('gives identifier, model, usage, tier, text and reason', () => {
    expect(openAiResponses.readResponse(jsonOf('responses-response.json'))).toMatchObject({
      responseId: 'resp_68b1c0d2a7f48193',
      model: 'gpt-5-mini-2025-08-07',
      serviceTier: 'default',
      completionText: 'The harbour opens at six 🌅, and the first ferry leaves at 6:20.',
      finishReason: 'completed',
      usage: { promptTokens: 1830, completionTokens: 117, promptCacheReadTokens: 1664, reasoningTokens: 64 },
    });
  });
});

describe('a stream', () => {
  it('is the response that its end carries', () => {
    expect(assemble('responses-response.sse')).toEqual({ body: jsonOf('responses-response.json'), isComplete: true, understood: true });
  });

  it('that broke off is the response as it began, with the items as far as they came', () => {
    const { body, isComplete } = assemble('responses-stream-broken.sse');
    expect(isComplete).toBe(false);
    expect(body).toMatchObject({
      id: 'resp_68b1c0d2a7f48193',
      status: 'in_progress',
      output: [
        { type: 'function_call', status: 'completed', name: 'timetable', arguments: '{"port":"Malmö"}' },
        { type: 'function_call', name: 'weather', arguments: '{"ci' },
        {
          type: 'message',
          content: [
            { type: 'output_text', text: 'The harb' },
            { type: 'refusal', refusal: 'No.' },
          ],
        },
      ],
    });
    expect(openAiResponses.readResponse(body)).toMatchObject({ completionText: 'The harb\nNo.', usage: { promptTokens: null } });
  });

  it('that reached its limit is whole', () => {
    const { body, isComplete } = assemble('responses-stream-incomplete.sse');
    expect(isComplete).toBe(true);
    expect(openAiResponses.readResponse(body)).toMatchObject({ finishReason: 'max_output_tokens', usage: { completionTokens: 2 } });
  });

  it('keeps an error from its middle beside the text', () => {
    const { body } = assemble('responses-stream-error.sse');
    expect(body).toMatchObject({ output: [{ content: [{ text: 'The harb' }] }], error: { code: 'server_error' } });
  });

  it.each([
    { type: 'error', code: 'server_error', message: 'no' },
    { type: 'error', error: { code: 'server_error', message: 'no' } },
  ])('that is nothing but an error is that error: %j', (event) => {
    expect(assembleEvents(event)).toEqual({
      body: { error: { code: 'server_error', message: 'no' } },
      isComplete: false,
      understood: true,
    });
  });

  it('has a part whose index is none at the first place', () => {
    // What an object is turned into may be its own to say, and then nothing at all.
    const event = { type: 'response.output_text.delta', output_index: 0, content_index: { toString: 0, valueOf: 0 }, delta: 'a' };
    expect(assembleEvents(event).body).toEqual({ output: [{ content: [{ type: 'output_text', text: 'a' }] }] });
  });

  it('takes the items where the end of another provider comes without them', () => {
    const item = { type: 'message', content: [{ type: 'output_text', text: 'a' }] };
    expect(
      assembleEvents(
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: { id: 'r', output: [] } },
      ),
    ).toEqual({ body: { id: 'r', output: [item] }, isComplete: true, understood: true });
  });
});

describe('pictures that a tool made', () => {
  const usage = { input_tokens: 100, output_tokens: 50, total_tokens: 150 };
  const pictures = { input_tokens: 5, output_tokens: 4160, output_tokens_details: { image_tokens: 4160 }, total_tokens: 4165 };

  it('are billed at the price of the model that made them', () => {
    const tools = [{ type: 'web_search' }, { type: 'image_generation', model: 'gpt-image-2' }];
    const fields = openAiResponses.readResponse({ model: 'gpt-5.4', tools, usage, tool_usage: { image_gen: pictures } });
    expect(fields.usage).toMatchObject({ promptTokens: 105, completionTokens: 4210, completionImageTokens: 4160, raw: usage });
    expect(fields.bills).toMatchObject([
      { model: '', usage: { promptTokens: 100, completionTokens: 50 } },
      { model: 'gpt-image-2', usage: { promptTokens: 5, completionTokens: 4160, completionImageTokens: 4160 } },
    ]);
  });

  it('are no bill where there are none', () => {
    const none = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    expect(openAiResponses.readResponse({ usage, tool_usage: { image_gen: none } }).bills).toBeUndefined();
  });

  it('of a model that is not named have no price', () => {
    expect(openAiResponses.readResponse({ usage, tool_usage: { image_gen: pictures } }).bills?.[1]?.model).toBe('image_generation');
  });
});

it('an answer of Perplexity says as Anthropic does what came from a cache', () => {
  const usage = {
    input_tokens: 5000,
    input_tokens_details: { cache_creation_input_tokens: 3, cache_read_input_tokens: 4000 },
    output_tokens: 200,
  };
  expect(openAiResponses.readResponse({ usage }).usage).toMatchObject({ promptCacheReadTokens: 4000, promptCacheWriteTokens: 3 });
});

describe('the texts of which tokens were made', () => {
  it('are those of the instructions, the items, tools and calls, and all that was written', () => {
    const texts = openAiResponses.readTokenTexts?.(jsonOf('responses-request.json'), jsonOf('responses-response.json'));
    expect(texts?.prompt).toMatch(/timetable of the harbour[^]*Malmö[^]*06:20, 07:40[^]*Departures of one port/);
    expect(texts?.completion).toMatch(/Tides first[^]*6:20/);
  });
});
