import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Part, Turn } from './part.ts';
import { turnsOfRequest, turnsOfResponse } from './turns.ts';

const recording = (name: string): unknown => JSON.parse(readFileSync(`src/providers/${name}.json`, 'utf8')) as unknown;
const text = (value: string): Part => ({ kind: 'text', text: value });
const picture: Part = { kind: 'image', source: 'data:image/png;base64,iVBORw0KGgo=' };
const call = (id: string, input: unknown): Part => ({ kind: 'tool-call', id, name: 'timetable', input });
const result = (id: string, parts: readonly Part[], name = ''): Part => ({ kind: 'tool-result', id, name, isError: false, parts });

const begin: readonly Turn[] = [
  { role: 'system', parts: [text('You know the timetable of the harbour.')] },
  { role: 'user', parts: [text('Good morning.')] },
  { role: 'assistant', parts: [text('Good morning. Where to?')] },
  { role: 'user', parts: [text('When does the first ferry leave?'), picture, text('The photo shows the pier. 🛳️')] },
];
const departures: Part = { kind: 'other', value: { departures: ['06:20', '07:40'] } };
const opened = text('The harbour opens at six 🌅, and the first ferry leaves at 6:20.');
const tides: Part = { kind: 'reasoning', text: 'Tides first.' };

describe('requests', () => {
  test.each([
    ['openai/__fixtures__/chat-request', call('call_1', {}), result('call_1', [text('06:20, 07:40')])],
    ['openai/__fixtures__/responses-request', call('call_1', { port: 'Malmö' }), result('call_1', [text('06:20, 07:40')])],
    ['anthropic/__fixtures__/messages-request', call('toolu_01Fq7', { port: 'Malmö' }), result('toolu_01Fq7', [text('06:20, 07:40')])],
    ['google/__fixtures__/generate-request', call('', { port: 'Malmö' }), result('', [departures], 'timetable')],
    ['amazon/__fixtures__/converse-request', call('tooluse_Fq7', { port: 'Malmö' }), result('tooluse_Fq7', [departures])],
  ])('%s: messages, a picture, a call of a tool and its result', (name, called, answered) => {
    expect(turnsOfRequest(recording(name))).toEqual([
      ...begin,
      { role: 'assistant', parts: [called] },
      { role: 'tool', parts: [answered] },
    ]);
  });

  test('a plan of tools is reasoning', () => {
    const turns = turnsOfRequest(recording('cohere/__fixtures__/chat-request'));
    expect(turns.slice(0, 4)).toEqual(begin);
    expect(turns[4]?.parts[0]).toEqual({ kind: 'reasoning', text: 'I look at the timetable.' });
  });

  test.each([
    ['openai/__fixtures__/embeddings-request', ['ferry to Malmö', 'ferry to Lund']],
    ['openai/__fixtures__/completions-request', ['When does the harbour open?', 'And close?']],
    ['openai/__fixtures__/images-request', ['A harbour at dawn, in woodcut']],
    ['google/__fixtures__/embed-request', ['When does the first ferry leave?', 'The harbour opens at six.']],
    ['cohere/__fixtures__/embed-request', ['When does the first ferry leave?', 'The harbour opens at six.']],
    ['amazon/__fixtures__/titan-request', ['When does the first ferry leave?']],
  ])('%s: its texts', (name, texts) => {
    expect(turnsOfRequest(recording(name)).flatMap(({ parts }) => parts)).toEqual(texts.map(text));
  });

  test('a recording and a file stand in a message', () => {
    const content = [
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { filename: 'tides.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
    ];
    expect(turnsOfRequest({ messages: [{ role: 'user', content }] })[0]?.parts).toEqual([
      { kind: 'audio', format: 'wav', bytes: 3, source: 'data:audio/wav;base64,AAAA', transcript: '' },
      { kind: 'file', name: 'tides.pdf', type: 'application/pdf', bytes: 3 },
    ]);
  });

  test.each([
    ['https://harbour.example/pier.png', { kind: 'link', what: 'Picture', address: 'https://harbour.example/pier.png' }],
    ['javascript:alert(1)', { kind: 'other', value: 'javascript:alert(1)' }],
    ['data:image/svg+xml;base64,AAAA', { kind: 'other', value: 'data:image/svg+xml;base64,AAAA' }],
    ['data:text/html;base64,AAAA', { kind: 'other', value: 'data:text/html;base64,AAAA' }],
  ])('a picture at %s is no image', (url, part) => {
    expect(turnsOfRequest({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] })[0]?.parts).toEqual([
      part,
    ]);
  });

  test.each([[null], ['text'], [[1]], [{ anything: [1, 2] }], [{ messages: 'none', contents: 3 }]])('%j has no turns', (body) => {
    expect(turnsOfRequest(body)).toEqual([]);
  });
});

describe('responses', () => {
  test.each<readonly [string, readonly Part[]]>([
    ['openai/__fixtures__/chat-response', [text('The harbour opens at six, and the first ferry leaves at 6:20.')]],
    ['openai/__fixtures__/responses-response', [tides, opened]],
    ['anthropic/__fixtures__/messages-response', [opened]],
    ['google/__fixtures__/generate-response', [tides, opened]],
    ['amazon/__fixtures__/converse-response', [tides, opened]],
    ['cohere/__fixtures__/chat-response', [opened]],
    ['ollama/__fixtures__/chat-response', [text('The first ferry leaves at 6:20.')]],
    ['openai/__fixtures__/completions-response', [text("Six o'clock.")]],
    ['openai/__fixtures__/images-response', [picture]],
    ['openai/__fixtures__/transcriptions-response', [text('The harbour opens at six, and the Öresund leaves at 6:20.')]],
    ['openai/__fixtures__/embeddings-response', [vector([0.0123, -0.5, 0.25]), vector([0.5, 0.125, -1])]],
    ['google/__fixtures__/embed-response', [vector([0.013, -0.27]), vector([0.1, 0.02])]],
    ['cohere/__fixtures__/embed-response', [vector([0.016, -0.008])]],
    ['amazon/__fixtures__/titan-response', [vector([0.021, -0.31])]],
  ])('%s', (name, parts) => {
    expect(turnsOfResponse(recording(name))).toEqual([{ role: 'assistant', parts }]);
  });

  test('an interaction has reasoning, a text and a call', () => {
    expect(turnsOfResponse(recording('google/__fixtures__/interactions-response'))).toEqual([
      {
        role: 'assistant',
        parts: [
          { kind: 'reasoning', text: 'The day is not said.' },
          text('The harbour opens at six 🌅.'),
          call('call_1', { day: 'thursday' }),
        ],
      },
    ]);
  });

  test.each(['openai/__fixtures__/chat-error', 'anthropic/__fixtures__/messages-error', 'google/__fixtures__/generate-error'])(
    '%s: an error with its code and its text',
    (name) => {
      const [turn] = turnsOfResponse(recording(name));
      const [part] = turn?.parts ?? [];
      if (part?.kind !== 'error') throw new Error('It is no error.');
      expect([part.code, part.text].every((one) => one.length > 3)).toBe(true);
    },
  );

  test('a refusal, a spoken answer and reasoning that is kept back', () => {
    const refused = { choices: [{ message: { role: 'assistant', content: null, refusal: 'I may not.' } }] };
    expect(turnsOfResponse(refused)[0]?.parts).toEqual([{ kind: 'refusal', text: 'I may not.' }]);
    const spoken = { choices: [{ message: { role: 'assistant', audio: { data: 'UklGRg==', transcript: 'Six.' } } }] };
    expect(turnsOfResponse(spoken)[0]?.parts).toEqual([
      { kind: 'audio', format: 'wav', bytes: 4, source: 'data:audio/wav;base64,UklGRg==', transcript: 'Six.' },
    ]);
    const thought = { type: 'message', role: 'assistant', content: [{ type: 'redacted_thinking', data: 'AAAA' }] };
    expect(turnsOfResponse(thought)[0]?.parts).toEqual([{ kind: 'reasoning', text: undefined }]);
  });

  test('bytes of a picture are a picture', () => {
    expect(turnsOfResponse({ base64: 'iVBORw0KGgo=', content_type: 'image/png' })[0]?.parts).toEqual([picture]);
    expect(turnsOfResponse({ base64: 'AAAA', content_type: 'application/zip' })).toEqual([]);
  });
});

const step = (name: string, input: unknown): readonly Turn[] => [{ role: 'tool', parts: [{ kind: 'tool-call', id: '', name, input }] }];

describe('logged steps', () => {
  test.each([
    ['a tool', { _type: 'tool', toolName: 'clock', input: { zone: 'UTC' } }, 'clock', { zone: 'UTC' }],
    ['a tool whose members are its input', { _type: 'tool', toolName: 'clock', zone: 'UTC' }, 'clock', { zone: 'UTC' }],
    ['a vector database', { _type: 'vector_db', operation: 'search', text: 'ferry' }, 'vector database search', { text: 'ferry' }],
    ['anything else', { _type: 'data', name: 'cart', items: 2 }, 'cart', { items: 2 }],
  ])('%s is the call of a tool, and its reply the result', (_what, body, name, input) => {
    expect(turnsOfRequest(body)).toEqual(step(name, input));
    const given: Part = { kind: 'tool-result', id: '', name, isError: false, parts: [{ kind: 'other', value: { hour: 7 } }] };
    expect(turnsOfResponse({ hour: 7 }, body)).toEqual([{ role: 'tool', parts: [given] }]);
    expect(turnsOfResponse({ error: { message: 'No clock.' } }, body)).toMatchObject([
      { parts: [{ isError: true, parts: [{ text: 'No clock.' }] }] },
    ]);
  });
  test('another type is none', () => {
    expect(turnsOfRequest({ _type: 'else', toolName: 'clock' })).toEqual([]);
  });
});

test.each(['constructor', '__proto__', 'toString'])('names of members of every object are names like others: %s', (name) => {
  const [item, message] = turnsOfRequest({
    input: [
      { type: name, text: 'a' },
      { role: name, content: [{ type: name, text: 'a' }] },
    ],
  });
  expect([item?.role, message?.role]).toEqual(['assistant', 'user']);
});

function vector(first: readonly number[]): Part {
  return { kind: 'vector', dimensions: first.length, first };
}
