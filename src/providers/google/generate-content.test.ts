import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../model/text.ts';
import type { Usage } from '../../model/record/usage.ts';
import { describeWireFormat } from '../testing/contract-suite.ts';
import type { AssembledStream } from '../format/provider.ts';
import { readServerSentEvents } from '../format/sse.ts';
import { geminiGenerateContent } from './generate-content.ts';
import { elementsOf } from './json-list.ts';
import { assembleJsonList } from './stream.ts';
import { assert } from '../../../test/support/seeded.ts';

const recordings = new URL('./__fixtures__/', import.meta.url);
const textOfFile = (name: string): string => readFileSync(new URL(name, recordings), 'utf8');
const jsonOf = (name: string): unknown => parseJson(textOfFile(name));
const assemble = (name: string): AssembledStream =>
  geminiGenerateContent.assembleStream(readServerSentEvents([Buffer.from(textOfFile(name))]));
const completionOf = (body: object): number | null => geminiGenerateContent.readResponse(body).usage.completionTokens;
const usageOf = (usageMetadata: object): Usage => geminiGenerateContent.readResponse({ usageMetadata }).usage;
const path = '/v1beta/models/gemini-2.5-flash:generateContent';

describeWireFormat(geminiGenerateContent, {
  folder: recordings,
  prefix: 'generate-',
  path,
  lacks: { user: 'the format has no place for an end user' },
});

describe('a request', () => {
  it('gives the model of its path, all texts with the system first, and what the user said last', () => {
    const lastUserText = 'When does the first ferry leave?\nThe photo shows the pier. 🛳️';
    expect(geminiGenerateContent.readRequest(jsonOf('generate-request.json'), path)).toEqual({
      model: 'gemini-2.5-flash',
      user: '',
      promptText: ['You know the timetable of the harbour.', 'Good morning.', 'Good morning. Where to?', lastUserText].join('\n'),
      firstUserText: 'Good morning.',
      lastUserText,
    });
  });

  it('may spell its names with underscores, leave out roles, and be a single content', () => {
    const body = { system_instruction: { parts: { text: 'a' } }, contents: { parts: [{ text: 'b' }] } };
    expect(geminiGenerateContent.readRequest(body, '')).toMatchObject({ promptText: 'a\nb', lastUserText: 'b' });
  });

  it.each([
    ['/v1/projects/p/locations/eu/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse', 'gemini-2.5-pro'],
    ['/v1beta/models/a%20b:generateContent', 'a b'],
    ['/v1beta/models/%ff:generateContent', '%ff'],
    ['/v1beta/models', ''],
  ])('at %s is for the model "%s"', (called, model) => {
    expect(geminiGenerateContent.readRequest({}, called).model).toBe(model);
  });
});

describe('a response', () => {
  it('counts thoughts as output and the cache as a part of the prompt, by modality', () => {
    expect(geminiGenerateContent.readResponse(jsonOf('generate-response.json'))).toMatchObject({
      responseId: 'q7ZkaYvXLpGk28oP5Jyd-A4',
      model: 'gemini-2.5-flash',
      completionText: 'The harbour opens at six 🌅, and the first ferry leaves at 6:20.',
      finishReason: 'STOP',
      usage: {
        promptTokens: 1830,
        completionTokens: 17 + 84,
        reasoningTokens: 84,
        promptCacheReadTokens: 1024,
        promptCacheReadAudioTokens: 100,
        promptAudioTokens: 300,
        promptImageTokens: null,
      },
    });
  });

  it('counts pictures that were made, and thoughts that came to no answer', () => {
    const details = [{ modality: 'IMAGE', tokenCount: 1290 }];
    expect(usageOf({ promptTokenCount: 9, candidatesTokenCount: 1290, candidatesTokensDetails: details })).toMatchObject({
      completionTokens: 1290,
      completionImageTokens: 1290,
    });
    expect(usageOf({ promptTokenCount: 9, thoughtsTokenCount: 50 })).toMatchObject({ completionTokens: 50, reasoningTokens: 50 });
    expect(usageOf({ promptTokenCount: 9 }).completionTokens).toBeNull();
  });

  it('that has ended has in its total what it leaves out; of one that has not nobody knows', () => {
    const usageMetadata = { promptTokenCount: 7, thoughtsTokenCount: 50, totalTokenCount: 157 };
    expect(completionOf({ candidates: [{ finishReason: 'STOP' }], usageMetadata })).toBe(150);
    const blocked = { promptTokenCount: 7, totalTokenCount: 7 };
    expect(completionOf({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: blocked })).toBe(0);
    expect(completionOf({ candidates: [{ content: {} }], usageMetadata: blocked })).toBeNull();
  });

  it.each([
    [{ serviceTier: 'flex' }, 'flex'],
    [{ trafficType: 'ON_DEMAND' }, 'ON_DEMAND'],
  ])('with %j was served as %s', (usageMetadata, tier) => {
    expect(geminiGenerateContent.readResponse({ usageMetadata }).serviceTier).toBe(tier);
  });

  it('that was grounded counts what was searched for', () => {
    const candidates = [{ finishReason: 'STOP', groundingMetadata: { webSearchQueries: ['ferry malmö', 'tides'] } }];
    expect(geminiGenerateContent.readResponse({ candidates, usageMetadata: { promptTokenCount: 3 } }).usage.webSearches).toBe(2);
  });

  it('that is an error gives nothing', () => {
    expect(geminiGenerateContent.readResponse(jsonOf('generate-error.json'))).toMatchObject({ model: '', usage: { promptTokens: null } });
  });
});

describe('a stream', () => {
  it('becomes the response, with text in one part and calls in their order', () => {
    const { body, isComplete } = assemble('generate-stream-tools.sse');
    expect(isComplete).toBe(true);
    expect(body).toEqual({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'I look it up.' },
              { functionCall: { name: 'timetable', args: { port: 'Malmö' } }, thoughtSignature: 'Cg==' },
              { functionCall: { name: 'now', args: {} } },
            ],
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: { promptTokenCount: 96, candidatesTokenCount: 41, toolUsePromptTokenCount: 30, totalTokenCount: 167 },
      modelVersion: 'gemini-2.5-flash',
      responseId: 'q7ZkaYvXLpGk28oP5Jyd-A4',
    });
    expect(geminiGenerateContent.readResponse(body).usage).toMatchObject({ promptTokens: 96 + 30, completionTokens: 41 });
  });

  it('has the counts of its last chunk and none of an earlier one', () => {
    const { body } = assemble('generate-stream-counts.sse');
    expect(geminiGenerateContent.readResponse(body).usage).toMatchObject({
      promptTokens: 87,
      completionTokens: 78,
      reasoningTokens: 78,
      raw: { promptTokenCount: 87, totalTokenCount: 165, thoughtsTokenCount: 78 },
    });
    expect(body).not.toHaveProperty('usageMetadata.candidatesTokenCount');
  });

  it('keeps its counts where the last chunk has none', () => {
    const counted = { candidates: [], usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3 } };
    const events = [counted, { candidates: [{ finishReason: 'STOP' }], usageMetadata: {} }].map((chunk) => ({
      event: 'message',
      data: JSON.stringify(chunk),
    }));
    expect(geminiGenerateContent.assembleStream(events).body).toMatchObject({ usageMetadata: counted.usageMetadata });
  });

  it('is the response itself, thoughts apart from the answer', () => {
    expect(assemble('generate-response.sse').body).toEqual(jsonOf('generate-response.json'));
  });

  it('joins the probabilities of its tokens', () => {
    const events = ['a', 'b'].map((token) => ({
      event: 'message',
      data: JSON.stringify({
        candidates: [{ logprobsResult: { chosenCandidates: [{ token }], topCandidates: [{ candidates: [{ token }] }] } }],
      }),
    }));
    expect(geminiGenerateContent.assembleStream(events).body).toMatchObject({
      candidates: [
        {
          logprobsResult: {
            chosenCandidates: [{ token: 'a' }, { token: 'b' }],
            topCandidates: [{ candidates: [{ token: 'a' }] }, { candidates: [{ token: 'b' }] }],
          },
        },
      ],
    });
  });

  it('keeps candidates apart of which the first has no index', () => {
    const events = ['a', 'b'].map((text) => {
      const [first, second] = [0, 1].map((index) => ({ content: { parts: [{ text: `${text}${index}` }] } }));
      return { event: 'message', data: JSON.stringify({ candidates: [first, { ...second, index: 1 }] }) };
    });
    expect(geminiGenerateContent.assembleStream(events).body).toEqual({
      candidates: [
        { index: 0, content: { parts: [{ text: 'a0b0' }] } },
        { index: 1, content: { parts: [{ text: 'a1b1' }] } },
      ],
    });
  });

  it('keeps an error from its middle beside the text', () => {
    const { body, isComplete } = assemble('generate-stream-error.sse');
    expect(isComplete).toBe(false);
    expect(body).toMatchObject({ candidates: [{ content: { parts: [{ text: 'The harb' }] } }], error: { status: 'UNAVAILABLE' } });
  });

  it('of many names is read in a time that grows with its length', () => {
    const parts = Array.from({ length: 20_000 }, (_, index) => ({ text: 'a', [`k${index}`]: index }));
    const events = parts.map((part) => ({
      event: 'message',
      data: JSON.stringify({ candidates: [{ index: 0, content: { parts: [part] } }] }),
    }));
    const { body } = geminiGenerateContent.assembleStream(events);
    expect(body).toMatchObject({ candidates: [{ content: { parts: [{ text: 'a'.repeat(20_000), k0: 0, k19999: 19_999 }] } }] });
  });

  it('that was blocked is whole without an answer', () => {
    const data = JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 3 } });
    expect(geminiGenerateContent.assembleStream([{ event: 'message', data }])).toMatchObject({ isComplete: true, understood: true });
  });
});

describe('a stream written as one list', () => {
  const list = textOfFile('generate-list.txt');
  const text = geminiGenerateContent.readResponse(jsonOf('generate-response.json')).completionText;

  it('becomes the same response', () => {
    expect(assembleJsonList(list)).toEqual({ body: jsonOf('generate-response.json'), isComplete: true, understood: true });
  });

  it('cut off anywhere has what came whole', () => {
    for (let length = 0; length < list.length - 2; length += 1) {
      const partial = assembleJsonList(list.slice(0, length));
      expect(text.startsWith(geminiGenerateContent.readResponse(partial.body).completionText)).toBe(true);
    }
    expect(assembleJsonList(list.slice(0, -2)).isComplete).toBe(true);
  });

  it.each(['', '{}', 'null', '"[{}]"', 'text', '[', '[]', '[1, "{}", [2]', '{"candidates":[]}'])('is not understood in %s', (other) => {
    expect(assembleJsonList(other)).toEqual({ body: null, isComplete: false, understood: false });
  });
});

describe('elementsOf', () => {
  it('finds in a cut list the objects that are whole, whatever stands in their texts', () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), { maxLength: 5 });
    assert(
      fc.property(objects, fc.nat(), (elements, place) => {
        const text = JSON.stringify(elements);
        const length = place % (text.length + 1);
        const found = elementsOf(text.slice(0, length));
        expect(JSON.stringify(found)).toBe(JSON.stringify(elements.slice(0, found.length)));
      }),
      { numRuns: 500 },
    );
    expect(elementsOf('[{"a":"}\\"]"},\n{"b":[{}]},{"c')).toEqual([{ a: '}"]' }, { b: [{}] }]);
  });
});
