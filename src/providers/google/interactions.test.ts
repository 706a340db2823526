import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../model/text.ts';
import { describeWireFormat } from '../testing/contract-suite.ts';
import type { AssembledStream } from '../format/provider.ts';
import { wireFormatFor } from '../registry.ts';
import { readServerSentEvents } from '../format/sse.ts';
import { geminiInteractions } from './interactions.ts';

const recordings = new URL('./__fixtures__/', import.meta.url);
const textOfFile = (name: string): string => readFileSync(new URL(name, recordings), 'utf8');
const jsonOf = (name: string): unknown => parseJson(textOfFile(name));
const assemble = (...events: readonly object[]): AssembledStream =>
  geminiInteractions.assembleStream(
    readServerSentEvents([Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))]),
  );

const text = (content: string) => ({ event_type: 'step.delta', index: 0, delta: { type: 'text', text: content } });
const note = (url: string) => ({ event_type: 'step.delta', index: 0, delta: { type: 'text_annotation_delta', annotations: [{ url }] } });

describeWireFormat(geminiInteractions, {
  folder: recordings,
  prefix: 'interactions-',
  path: '/v1beta/interactions',
  lacks: { user: 'the format has no place for an end user' },
});

describe('a request', () => {
  it('gives its model, all texts with the system first, and what the user said last', () => {
    const lastUserText = 'When does the first ferry leave? 🛳️';
    expect(geminiInteractions.readRequest(jsonOf('interactions-request.json'), '')).toEqual({
      model: 'gemini-3.8-flash',
      user: '',
      promptText: ['You know the timetable of the harbour.', 'Good morning.', 'Good morning. Where to?', lastUserText].join('\n'),
      firstUserText: 'Good morning.',
      lastUserText,
    });
  });

  it.each([
    ['a text', 'Hello'],
    ['a piece of content', { type: 'text', text: 'Hello' }],
    [
      'pieces of content',
      [
        { type: 'image', data: 'aGk=' },
        { type: 'text', text: 'Hello' },
      ],
    ],
    ['turns', [{ role: 'user', content: 'Hello' }]],
  ])('may bring %s', (_, input) => {
    expect(geminiInteractions.readRequest({ agent: 'deep-research', input }, '')).toMatchObject({
      model: 'deep-research',
      lastUserText: 'Hello',
    });
  });
});

describe('a response', () => {
  it('counts thoughts as output, and what tools brought in as input', () => {
    expect(geminiInteractions.readResponse(jsonOf('interactions-response.json'))).toMatchObject({
      responseId: 'v1_ferry',
      model: 'gemini-3.8-flash',
      serviceTier: 'flex',
      completionText: 'The harbour opens at six 🌅.',
      finishReason: 'requires_action',
      usage: { promptTokens: 1205, promptCacheReadTokens: 1000, promptImageTokens: 258, completionTokens: 340, reasoningTokens: 300 },
    });
  });

  it('is asked for with POST at that path alone, at Google and at an address of its own', () => {
    expect(wireFormatFor('gemini', '/v1beta/interactions?key=x')).toBe(geminiInteractions);
    expect(wireFormatFor('custom', '/v1beta1/projects/p/locations/global/interactions')).toBe(geminiInteractions);
    expect(wireFormatFor('gemini', '/v1beta/interactions/v1_ferry')).toBeUndefined();
  });
});

describe('a stream', () => {
  it('that breaks off is what came of it', () => {
    const { body, isComplete } = assemble(
      { event_type: 'interaction.created', interaction: { id: 'v1_a', model: 'gemini-3.8-flash' } },
      { event_type: 'step.start', index: 0, step: { type: 'model_output', content: [{ type: 'text', text: 'Hal' }] } },
      { event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'f' } },
      { event_type: 'step.start', index: 1, step: { type: 'function_call', name: 'f', arguments: {} } },
      { event_type: 'step.delta', index: 1, delta: { type: 'arguments_delta', arguments: '{"a":' } },
    );
    expect(isComplete).toBe(false);
    expect(body).toEqual({
      id: 'v1_a',
      model: 'gemini-3.8-flash',
      steps: [
        { type: 'model_output', content: [{ type: 'text', text: 'Half' }] },
        { type: 'function_call', name: 'f', arguments: '{"a":' },
      ],
    });
  });

  it('with an error has it beside the rest', () => {
    const error = { code: 'internal', message: 'Overloaded' };
    expect(assemble({ event_type: 'error', error }).body).toEqual({ error });
    expect(assemble({ event_type: 'interaction.created', interaction: { id: 'a' } }, { event_type: 'error', error }).body).toEqual({
      id: 'a',
      steps: [],
      error,
    });
  });

  it('joins texts with what is said of them', () => {
    const start = { event_type: 'step.start', index: 0, step: { type: 'model_output' } };
    expect(assemble(start, note('none'), text('a'), note('x'), text('b'), note('y')).body).toEqual({
      steps: [{ type: 'model_output', content: [{ type: 'text', text: 'ab', annotations: [{ url: 'x' }, { url: 'y' }] }] }],
    });
  });

  it('joins the pieces of a recording, and keeps what tools of the provider found', () => {
    const { body } = assemble(
      { event_type: 'step.start', index: 0, step: { type: 'google_search_call', id: 's' } },
      { event_type: 'step.delta', index: 0, delta: { type: 'google_search_call', arguments: { queries: ['ferry'] } } },
      { event_type: 'step.start', index: 1, step: { type: 'model_output' } },
      { event_type: 'step.delta', index: 1, delta: { type: 'audio', mime_type: 'audio/l16', data: 'YQ==' } },
      { event_type: 'step.delta', index: 1, delta: { type: 'audio', mime_type: 'audio/l16', data: 'Yg==' } },
    );
    expect(body).toEqual({
      steps: [
        { type: 'google_search_call', id: 's', arguments: { queries: ['ferry'] } },
        { type: 'model_output', content: [{ type: 'audio', mime_type: 'audio/l16', data: 'YWI=' }] },
      ],
    });
  });
});
