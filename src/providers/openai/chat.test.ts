import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { moneyText } from '../../model/pricing/money.ts';
import { parseJson } from '../../model/text.ts';
import { describeWireFormat } from '../testing/contract-suite.ts';
import { listOf, objectOf } from '../format/fields.ts';
import type { AssembledStream } from '../format/provider.ts';
import { readServerSentEvents } from '../format/sse.ts';
import { openAiChat } from './chat.ts';

const recordings = new URL('./__fixtures__/', import.meta.url);
const bytesOf = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, recordings)));
const jsonOf = (name: string): unknown => parseJson(new TextDecoder().decode(bytesOf(name)));
const assemble = (name: string): AssembledStream => openAiChat.assembleStream(readServerSentEvents([bytesOf(name)]));
const assembleChunks = (...chunks: readonly unknown[]): AssembledStream =>
  openAiChat.assembleStream(chunks.map((chunk) => ({ event: 'message', data: JSON.stringify(chunk) })));
const assembleDeltas = (...deltas: readonly unknown[]): AssembledStream =>
  assembleChunks(...deltas.map((delta) => ({ choices: [{ index: 0, delta }] })));

/** A stream of pieces of calls, all at the index 0: identifier, name, arguments. */
const assembleCalls = (...pieces: readonly (readonly [id: string, name: string | null, args: string])[]): AssembledStream =>
  assembleDeltas(...pieces.map(([id, name, args]) => ({ tool_calls: [{ index: 0, id, function: { name, arguments: args } }] })));
/** Name and arguments of the calls of the first choice. */
const callsIn = (body: unknown): unknown =>
  listOf(objectOf(objectOf(listOf(objectOf(body)['choices'])[0])['message'])['tool_calls'])
    .map((call) => objectOf(objectOf(call)['function']))
    .map(({ name, arguments: args }) => [name, args]);

const usageChunk = (tokens: number): unknown => ({
  choices: [{ index: 0, delta: { content: 'x' } }],
  usage: { completion_tokens: tokens },
});

const head = {
  object: 'chat.completion',
  created: 1767225600,
  model: 'gpt-4o-2024-08-06',
  service_tier: 'default',
  system_fingerprint: 'fp_5d58a6052a',
};

describeWireFormat(openAiChat, { folder: recordings, prefix: 'chat-' });

describe('a request', () => {
  it('gives model, user, the text of all messages and that of the last of the user', () => {
    expect(openAiChat.readRequest(jsonOf('chat-request.json'), '/v1/chat/completions')).toEqual({
      model: 'gpt-4o',
      user: 'passenger-17',
      cacheKey: '',
      promptText: [
        'You know the timetable of the harbour.',
        'Good morning.',
        'Good morning. Where to?',
        'When does the first ferry leave?\nThe photo shows the pier. 🛳️',
        '06:20, 07:40',
      ].join('\n'),
      firstUserText: 'Good morning.',
      lastUserText: 'When does the first ferry leave?\nThe photo shows the pier. 🛳️',
    });
  });

  it('gives the last text of the user, whatever pictures come behind it', () => {
    const messages = [
      { role: 'user', content: 'Describe it' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] },
    ];
    expect(openAiChat.readRequest({ messages }, '')).toMatchObject({ lastUserText: 'Describe it' });
  });

  it('gives the user by either of the names that OpenAI has for one', () => {
    expect(openAiChat.readRequest({ safety_identifier: 'p-17' }, '').user).toBe('p-17');
    expect(openAiChat.readRequest({ user: 'p-18', safety_identifier: 'p-17' }, '').user).toBe('p-18');
  });

  it('gives text that can be stored', () => {
    const body = { messages: [{ role: 'user', content: 'half \uD83D' }] };
    expect(openAiChat.readRequest(body, '').lastUserText).toBe('half \uFFFD');
  });
});

describe('a response', () => {
  it('in sound says what is spoken in it', () => {
    const message = { content: null, audio: { id: 'audio_1', data: '', transcript: 'Ahoy there' } };
    const { completionText } = openAiChat.readResponse({ choices: [{ message }] });
    expect([completionText, openAiChat.readTokenTexts?.({}, { choices: [{ message }] }).completion]).toEqual(['Ahoy there', 'Ahoy there']);
  });

  it('gives identifier, model, usage, tier, text and reason', () => {
    const fields = openAiChat.readResponse(jsonOf('chat-response.json'));
    expect(fields).toMatchObject({
      responseId: 'chatcmpl-CsR3k1LxQv8Tn0aZ5b7Yw2HdJfP4e',
      model: 'gpt-4o-2024-08-06',
      serviceTier: 'default',
      completionText: 'The harbour opens at six, and the first ferry leaves at 6:20.',
      finishReason: 'stop',
      providerCost: null,
    });
    expect(fields.usage).toMatchObject({
      promptTokens: 1830,
      completionTokens: 17,
      promptCacheReadTokens: 1664,
      promptCacheWriteTokens: null,
    });
  });

  it('that is an error gives nothing, and no usage of zero', () => {
    expect(openAiChat.readResponse(jsonOf('chat-error.json'))).toMatchObject({
      responseId: '',
      completionText: '',
      usage: { promptTokens: null, completionTokens: null, raw: null },
    });
  });

  it('gives the cost that a reseller states', () => {
    const { providerCost } = openAiChat.readResponse({ usage: { prompt_tokens: 1, cost: 0.0123 } });
    expect(providerCost === null ? null : moneyText(providerCost)).toBe('0.012300000000');
  });
});

describe('a stream', () => {
  it('without usage becomes the whole response', () => {
    expect(assemble('chat-stream-text.sse')).toEqual({
      body: {
        id: 'chatcmpl-CsR5nB2mTq7Xy1cV9d3Kp6GsWfL8h',
        ...head,
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'The harbour opens at six 🌅, naïvely put.', refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
      },
      isComplete: true,
      understood: true,
    });
  });

  it('with usage keeps it as sent', () => {
    const { body } = assemble('chat-stream-usage.sse');
    expect(body).toMatchObject({ usage: { total_tokens: 2460, completion_tokens_details: { rejected_prediction_tokens: 3 } } });
    expect(openAiChat.readResponse(body).usage).toMatchObject({
      promptTokens: 2048,
      completionTokens: 412,
      promptCacheReadTokens: 1024,
      promptCacheWriteTokens: 256,
      promptAudioTokens: 32,
      completionAudioTokens: 8,
      reasoningTokens: 384,
    });
  });

  it('joins tool calls that arrive in pieces and interleaved', () => {
    expect(assemble('chat-stream-tools.sse').body).toEqual({
      id: 'chatcmpl-CsR8wE4rUj1Zx6bN0f5Mq9DtYhC2k',
      ...head,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'call_Qm3xV7', type: 'function', function: { name: 'timetable', arguments: '{"port":"Malmö"}' } },
              { id: 'call_Zr8kT2', type: 'function', function: { name: 'weather', arguments: '{"city":"Lund"}' } },
            ],
            refusal: null,
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 96, completion_tokens: 41, total_tokens: 137 },
    });
  });

  it('keeps calls apart that all have the index 0, as at Google', () => {
    const { body } = assemble('chat-stream-gemini-tools.sse');
    expect(callsIn(body)).toEqual([
      ['timetable', '{"port":"Malmö"}'],
      ['weather', '{"city":"Lund"}'],
      ['weather', '{"city":"Ystad"}'],
    ]);
    const signed = { id: 'function-call-13740894620485130491', extra_content: { google: { thought_signature: 'CiQB' } } };
    expect(body).toMatchObject({ choices: [{ message: { tool_calls: [signed, {}, {}] }, finish_reason: 'tool_calls' }] });
  });

  it('of Azure has the findings of its filters once', () => {
    const safe = { filtered: false, severity: 'safe' };
    const findings = { hate: safe, self_harm: safe, sexual: safe, violence: safe };
    const { body } = assemble('chat-stream-azure.sse');
    expect(body).toMatchObject({
      id: 'chatcmpl-CsR9aZ1uRe7Gh2kL4m6Np8QrStVwX',
      object: 'chat.completion',
      choices: [
        {
          message: { content: 'The harbour opens at six.' },
          content_filter_results: { ...findings, protected_material_text: { detected: false } },
        },
      ],
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: findings }],
    });
  });

  it('of OpenRouter names the provider once, and has the thoughts in one piece', () => {
    const { body } = assemble('chat-stream-openrouter.sse');
    expect(body).toMatchObject({
      provider: 'Anthropic',
      choices: [
        {
          native_finish_reason: 'end_turn',
          message: {
            content: 'Sail at noon.',
            reasoning: 'Tides first.',
            reasoning_details: [
              { type: 'reasoning.text', text: 'Tides first.', format: 'anthropic-claude-v1', index: 0, signature: 'EqQB' },
            ],
          },
        },
      ],
    });
  });

  it('of Magistral has its thoughts in one part and its answer in another', () => {
    const { body } = assemble('chat-stream-magistral.sse');
    expect(body).toMatchObject({
      choices: [
        {
          message: {
            content: [
              { type: 'thinking', thinking: [{ type: 'text', text: 'A greeting is due.' }], closed: true },
              { type: 'text', text: 'Hello you' },
            ],
          },
        },
      ],
    });
    expect(openAiChat.readResponse(body).completionText).toBe('Hello you');
  });

  it('keeps choices apart and puts them in order', () => {
    const { body } = assemble('chat-stream-choices.sse');
    expect(body).toMatchObject({
      choices: [
        { index: 0, message: { content: 'Yes, south.' }, finish_reason: 'length' },
        { index: 1, message: { content: 'North.' }, finish_reason: 'stop' },
      ],
    });
    expect(openAiChat.readResponse(body)).toMatchObject({ completionText: 'Yes, south.', finishReason: 'length' });
  });

  it('that refuses gives the refusal as its text', () => {
    const { body } = assemble('chat-stream-refusal.sse');
    expect(body).toMatchObject({ choices: [{ message: { content: null, refusal: "I can't help with that." } }] });
    expect(openAiChat.readResponse(body).completionText).toBe("I can't help with that.");
  });

  it('keeps reasoning and what this table does not know', () => {
    const { body } = assemble('chat-stream-reasoning.sse');
    expect(body).toMatchObject({
      choices: [
        {
          message: {
            role: 'assistant',
            content: 'Sail at noon.',
            reasoning_content: 'Tides first, then wind.',
            reasoning_details: [
              { type: 'reasoning.text', text: 'Tides first', index: 0, format: 'plain' },
              { type: 'reasoning.encrypted', data: 'gAAA', index: 1 },
            ],
            extra: { score: 2, note: 'ab' },
            tags: ['y'],
          },
        },
      ],
    });
    expect(openAiChat.readResponse(body)).toMatchObject({ completionText: 'Sail at noon.', usage: { reasoningTokens: 184 } });
  });

  it('puts log probabilities behind each other', () => {
    const { body } = assemble('chat-stream-logprobs.sse');
    expect(body).toMatchObject({
      choices: [{ logprobs: { content: [{ token: 'Ja' }, { token: ',' }, { token: ' já', logprob: -1.5 }], refusal: null } }],
    });
  });

  it('joins audio that was padded piece by piece', () => {
    const audio = {
      id: 'audio_6a1',
      data: btoa('\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b'),
      transcript: 'Ahoy there',
      expires_at: 1767229200,
    };
    expect(assemble('chat-stream-audio.sse').body).toMatchObject({ choices: [{ message: { audio } }] });
  });

  it('that breaks off in the middle of an event gives what was whole', () => {
    const { body, isComplete, understood } = assemble('chat-stream-broken.sse');
    expect({ isComplete, understood }).toEqual({ isComplete: false, understood: true });
    expect(body).toMatchObject({ choices: [{ message: { content: 'The harbour opens' }, finish_reason: null }] });
    expect(openAiChat.readResponse(body).usage.completionTokens).toBeNull();
  });

  it('keeps an error from its middle beside the text', () => {
    const { body, isComplete } = assemble('chat-stream-error.sse');
    expect(isComplete).toBe(false);
    expect(body).toMatchObject({ choices: [{ message: { content: 'The harb' } }], error: { type: 'server_error' } });
  });

  it.each([
    { case: 'named by the event', event: { event: 'error', data: '{"message":"no"}' }, error: { message: 'no' } },
    { case: 'in plain words', event: { event: 'error', data: 'Overloaded' }, error: { message: 'Overloaded' } },
    { case: 'without a name', event: { event: 'message', data: '{"error":"no"}' }, error: 'no' },
  ])('that is nothing but an error $case is that error', ({ event, error }) => {
    expect(openAiChat.assembleStream([event])).toEqual({ body: { error }, isComplete: false, understood: true });
  });
});

describe('chunks of providers that differ', () => {
  it('take the last usage where every chunk carries one', () => {
    expect(assembleChunks(usageChunk(1), usageChunk(2)).body).toMatchObject({ usage: { completion_tokens: 2 } });
  });

  it('may end with a usage in a place of their own', () => {
    const x_groq = { id: 'req_1', usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } };
    const { body } = assembleChunks({ choices: [], x_groq: { id: 'req_1' } }, { choices: [], x_groq });
    expect(openAiChat.readResponse(body).usage).toMatchObject({ promptTokens: 9, completionTokens: 2 });
  });

  it('may begin with an empty identifier and model', () => {
    const { body } = assembleChunks(
      { id: '', model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
      { id: 'a', model: 'm', choices: [] },
    );
    expect(body).toEqual({ id: 'a', model: 'm', choices: [], prompt_filter_results: [{ prompt_index: 0 }] });
  });

  it('may leave out indices', () => {
    const { body } = assembleChunks({ choices: [{ delta: { content: 'a' } }] }, { choices: [{ delta: { content: 'b' } }] });
    expect(body).toEqual({ choices: [{ message: { role: 'assistant', content: 'ab' } }] });
  });

  it('may send content as parts', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
    const { body } = assembleDeltas({ content: [thinking] }, { content: 'Yes' });
    expect(body).toMatchObject({ choices: [{ message: { content: [thinking, { type: 'text', text: 'Yes' }] } }] });
    expect(openAiChat.readResponse(body).completionText).toBe('Yes');
  });

  it('may send parts that are none of those that are cut into pieces', () => {
    const references = [1, 2].map((id) => ({ type: 'reference', reference_ids: [id] }));
    const { body } = assembleDeltas({ content: 'See' }, { content: [references[0]] }, { content: [references[1]] }, { content: ['.'] });
    const content = [{ type: 'text', text: 'See' }, ...references, { type: 'text', text: '.' }];
    expect(body).toMatchObject({ choices: [{ message: { content } }] });
  });

  it('may give every piece of one call an identifier of its own', () => {
    const { body } = assembleCalls(['a', 'now', ''], ['b', null, '{'], ['c', null, '}']);
    expect(callsIn(body)).toEqual([['now', '{}']]);
  });

  it('may repeat the identifier of a call, or leave it empty', () => {
    const { body } = assembleCalls(['0', 'now', ''], ['0', 'now', '[]'], ['1', 'then', '{'], ['', null, '}']);
    expect(callsIn(body)).toEqual([
      ['now', '[]'],
      ['then', '{}'],
    ]);
  });

  it('may split a character of two halves', () => {
    expect(openAiChat.readResponse(assembleDeltas({ content: '\uD83D' }, { content: '\uDEF3' }).body).completionText).toBe('🛳');
  });

  it('are not read behind the end', () => {
    const events = ['{"choices":[{"index":0,"delta":{"content":"a"}}]}', '[DONE]', '{"choices":[{"index":0,"delta":{"content":"b"}}]}'];
    const { body, isComplete } = openAiChat.assembleStream(events.map((data) => ({ event: 'message', data })));
    expect(isComplete).toBe(true);
    expect(openAiChat.readResponse(body).completionText).toBe('a');
  });
});
