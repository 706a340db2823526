import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeWireFormat } from '../testing/contract-suite.ts';
import { ollamaChat } from './chat.ts';

const recordings = new URL('./__fixtures__/', import.meta.url);
const response = JSON.parse(readFileSync(new URL('chat-response.json', recordings), 'utf8')) as Readonly<Record<string, unknown>>;
const assemble = (text: string) => ollamaChat.assembleList?.(text);
const linesOf = (...pieces: readonly object[]): string => pieces.map((piece) => `${JSON.stringify(piece)}\n`).join('');

describeWireFormat(ollamaChat, {
  folder: recordings,
  prefix: 'chat-',
  path: '/api/chat',
  lacks: { user: 'the API has no end users', stream: 'it is lines of JSON and no events' },
});

const call = (name: string): object => ({
  model: 'm',
  message: { role: 'assistant', content: '', tool_calls: [{ function: { name, arguments: {} } }] },
  done: false,
});

const piece = (content: string): object => ({
  model: 'llama3.2',
  created_at: '2026-03-01T06:00:00Z',
  message: { role: 'assistant', content },
  done: false,
});

describe('a stream of lines', () => {
  const end = { ...response, message: { role: 'assistant', content: '' } };
  const stream = linesOf(piece('The first ferry '), piece('leaves at 6:20.'), end);

  it('becomes the response', () => {
    expect(assemble(stream)).toEqual({ body: response, isComplete: true, understood: true });
  });

  it('cut off anywhere has what came in whole lines', () => {
    const text = ollamaChat.readResponse(response).completionText;
    for (let length = linesOf(piece('The first ferry ')).length; length < stream.length - 2; length += 1) {
      const partial = assemble(stream.slice(0, length));
      expect([partial?.isComplete, partial?.understood]).toEqual([false, true]);
      expect(text.startsWith(ollamaChat.readResponse(partial?.body).completionText)).toBe(true);
    }
  });

  it('keeps an error from its middle beside the text', () => {
    const told = assemble(linesOf(piece('The harb'), { error: 'an error was encountered while running the model' }));
    expect(told).toMatchObject({
      body: { message: { content: 'The harb' }, error: 'an error was encountered while running the model' },
      isComplete: false,
      understood: true,
    });
  });

  it('has all calls of tools', () => {
    expect(assemble(linesOf(call('a'), call('b')))?.body).toMatchObject({
      message: { tool_calls: [{ function: { name: 'a' } }, { function: { name: 'b' } }] },
    });
  });

  it('of /api/generate is one text', () => {
    const pieces = linesOf({ model: 'm', response: 'a', done: false }, { model: 'm', response: 'b', done: true, eval_count: 2 });
    expect(ollamaChat.readResponse(assemble(pieces)?.body)).toMatchObject({ completionText: 'ab', usage: { completionTokens: 2 } });
  });

  it.each(['', '[]', 'text', '{"a":1}\n{"b":2}', JSON.stringify(response), JSON.stringify(response, null, 2)])('is none in %s', (other) => {
    expect(assemble(other)).toEqual({ body: null, isComplete: false, understood: false });
  });
});

it('a prompt, and texts to embed, are what the user said', () => {
  expect(ollamaChat.readRequest({ model: 'm', prompt: 'a' }, '/api/generate')).toMatchObject({ promptText: 'a', lastUserText: 'a' });
  expect(ollamaChat.readRequest({ model: 'm', input: ['a', 'b'] }, '/api/embed')).toMatchObject({ promptText: 'a\nb' });
  expect(ollamaChat.readResponse({ model: 'm', embeddings: [[1]], prompt_eval_count: 3, total_duration: 1 }).usage).toMatchObject({
    promptTokens: 3,
    completionTokens: 0,
  });
});
