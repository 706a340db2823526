import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeWireFormat } from '../testing/contract-suite.ts';
import { readServerSentEvents } from '../format/sse.ts';
import { openAiEmbeddings } from './embeddings.ts';
import { openAiImages } from './images.ts';
import { openAiSpeech } from './speech.ts';
import { openAiTranscriptions } from './transcriptions.ts';

const folder = new URL('./__fixtures__/', import.meta.url);
const eventsOf = (...events: readonly unknown[]) => events.map((event) => ({ event: 'message', data: JSON.stringify(event) }));
const noUser = 'the endpoint has no place for an end user';

describeWireFormat(openAiEmbeddings, {
  folder,
  prefix: 'embeddings-',
  lacks: { stream: 'vectors come at once', completionText: 'vectors are no text' },
});
describeWireFormat(openAiImages, { folder, prefix: 'images-', lacks: { completionText: 'pictures are no text' } });
describeWireFormat(openAiTranscriptions, { folder, prefix: 'transcriptions-', lacks: { user: noUser } });
describeWireFormat(openAiSpeech, { folder, prefix: 'speech-', lacks: { user: noUser, completionText: 'a recording is no text' } });

describe('embeddings', () => {
  it('have the inputs for their prompt, and no text of those given as numbers', () => {
    expect(openAiEmbeddings.readRequest({ input: 'one' }, '').promptText).toBe('one');
    expect(openAiEmbeddings.readRequest({ input: ['one', 'two', [3, 4]] }, '').promptText).toBe('one\ntwo');
  });

  it('are all input where their total alone is said, as by Voyage', () => {
    const voyage = { object: 'list', data: [], model: 'voyage-3.5', usage: { total_tokens: 18 } };
    expect(openAiEmbeddings.readResponse(voyage).usage).toMatchObject({
      promptTokens: 18,
      completionTokens: null,
      raw: { total_tokens: 18 },
    });
    expect(openAiEmbeddings.readResponse({ usage: { prompt_tokens: 4, total_tokens: 5 } }).usage.promptTokens).toBe(4);
    expect(openAiEmbeddings.readResponse({ usage: { total_tokens: '18' } }).usage.promptTokens).toBeNull();
  });

  it('at Azure are for the deployment of the path', () => {
    expect(openAiEmbeddings.readRequest({ input: 'one' }, '/openai/deployments/em%2Fbed/embeddings?api-version=1').model).toBe('em/bed');
  });
});

describe('images', () => {
  it('count what they were made from and of', () => {
    const usage = { input_tokens: 50, output_tokens: 272, input_tokens_details: { image_tokens: 40, text_tokens: 10 } };
    expect(openAiImages.readResponse({ usage }).usage).toMatchObject({ promptTokens: 50, promptImageTokens: 40, completionTokens: 272 });
  });

  it('are all of the output where nothing tells what it was', () => {
    const usage = { input_tokens: 100, output_tokens: 1000, input_tokens_details: { text_tokens: 100, image_tokens: 0 } };
    const { body } = openAiImages.assembleStream(eventsOf({ type: 'image_generation.completed', b64_json: 'aaaa', usage }));
    expect(openAiImages.readResponse(body).usage).toMatchObject({ completionTokens: 1000, completionImageTokens: 1000 });
    const told = { ...usage, output_tokens_details: { image_tokens: 900, text_tokens: 100 } };
    expect(openAiImages.readResponse({ usage: told }).usage).toMatchObject({ completionTokens: 1000, completionImageTokens: 900 });
    expect(openAiImages.readResponse({}).usage).toMatchObject({ completionTokens: null, completionImageTokens: null });
  });

  it('that were not finished are the last of their drafts', () => {
    const events = eventsOf(
      { type: 'image_edit.partial_image', b64_json: 'aaaa', partial_image_index: 0, size: 'auto' },
      { type: 'image_edit.partial_image', b64_json: 'bbbb', partial_image_index: 1, size: 'auto' },
    );
    expect(openAiImages.assembleStream(events)).toEqual({
      body: { created: undefined, data: [{ b64_json: 'bbbb' }], size: 'auto' },
      isComplete: false,
      understood: true,
    });
  });

  it('that failed are their error', () => {
    const error = { code: 'moderation_blocked' };
    expect(openAiImages.assembleStream(eventsOf({ type: 'error', error }))).toEqual({
      body: { error },
      isComplete: false,
      understood: true,
    });
  });
});

describe('a transcription', () => {
  it('is billed by tokens, of which most are audio', () => {
    const usage = { type: 'tokens', input_tokens: 150, output_tokens: 23, input_token_details: { audio_tokens: 138 } };
    expect(openAiTranscriptions.readResponse({ text: 'a', usage }).usage).toMatchObject({
      promptTokens: 150,
      promptAudioTokens: 138,
      completionTokens: 23,
      audioSeconds: null,
    });
  });

  it('is billed by seconds where the model is', () => {
    expect(openAiTranscriptions.readResponse({ text: 'a', usage: { type: 'duration', seconds: 7 } }).usage).toMatchObject({
      promptTokens: null,
      audioSeconds: 7,
    });
  });

  it('is billed by its duration where it tells that alone', () => {
    const verbose = { task: 'transcribe', language: 'English', duration: 9.6, text: 'a', segments: [], x_groq: { id: 'req_1' } };
    expect(openAiTranscriptions.readResponse(verbose).usage).toMatchObject({ promptTokens: null, audioSeconds: 10 });
    const usage = { type: 'tokens', input_tokens: 150, output_tokens: 23 };
    expect(openAiTranscriptions.readResponse({ ...verbose, usage }).usage).toMatchObject({ promptTokens: 150, audioSeconds: null });
    expect(openAiTranscriptions.readResponse({ ...verbose, duration: '9.6' }).usage).toMatchObject({ audioSeconds: null });
  });

  it('has the cost that OpenRouter states', () => {
    const usage = { seconds: 2.5, input_tokens: 50, output_tokens: 6, total_tokens: 56, cost: 0.000_106_25 };
    expect(openAiTranscriptions.readResponse({ text: 'a', usage }).providerCost).toBe(106_250_000n);
  });

  it('at Mistral counts as a chat does, and its stream has an end of its own', () => {
    const bytes = new Uint8Array(readFileSync(new URL('transcriptions-stream-mistral.sse', folder)));
    const usage = { prompt_audio_seconds: 203, prompt_tokens: 4, total_tokens: 3264, completion_tokens: 635 };
    const text = 'The harbour opens at six.';
    const { body, isComplete } = openAiTranscriptions.assembleStream(readServerSentEvents([bytes]));
    expect({ body, isComplete }).toEqual({
      body: { model: 'voxtral-mini-2602', text, language: 'en', segments: [], usage },
      isComplete: true,
    });
    expect(openAiTranscriptions.readResponse(body)).toMatchObject({
      model: 'voxtral-mini-2602',
      completionText: text,
      usage: { promptTokens: 2629, completionTokens: 635, audioSeconds: 203 },
    });
  });

  it('at Mistral that broke off is what was heard by then', () => {
    const events = eventsOf({ type: 'transcription.text.delta', text: 'The ' }, { type: 'transcription.text.delta', text: 'harb' });
    expect(openAiTranscriptions.assembleStream(events)).toEqual({ body: { text: 'The harb' }, isComplete: false, understood: true });
  });

  it('may be plain text', () => {
    expect(openAiTranscriptions.readText?.('1\n00:00 --> 00:07\nThe harbour')).toMatchObject({
      completionText: '1\n00:00 --> 00:07\nThe harbour',
      usage: { promptTokens: null },
    });
  });

  it('that broke off is what was heard by then', () => {
    const events = eventsOf({ type: 'transcript.text.delta', delta: 'The ' }, { type: 'transcript.text.delta', delta: 'harb' });
    expect(openAiTranscriptions.assembleStream(events)).toEqual({ body: { text: 'The harb' }, isComplete: false, understood: true });
  });
});

describe('speech', () => {
  it('as events is the recording with its usage', () => {
    const usage = { input_tokens: 1, output_tokens: 2 };
    const events = eventsOf(
      { type: 'speech.audio.delta', audio: btoa('ab') },
      { type: 'speech.audio.delta', audio: btoa('cd') },
      { type: 'speech.audio.done', usage },
    );
    expect(openAiSpeech.assembleStream(events).body).toEqual({ audio: btoa('abcd'), usage });
  });
});
