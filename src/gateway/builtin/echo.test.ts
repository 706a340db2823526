import { describe, expect, it } from 'vitest';
import { maxEchoCharacters, maxEchoEvents, responseOfEcho } from './echo.ts';

/** The pieces of the answer to one user message. */
function piecesFor(content: string, fields: object = {}): readonly Buffer[] {
  const body = Buffer.from(JSON.stringify({ model: 'a', messages: [{ role: 'user', content }], ...fields }));
  return responseOfEcho({ method: 'POST', path: '/v1/chat/completions', body, createdAt: 1 }).chunks;
}

interface Answer {
  readonly choices: readonly [{ readonly message: { readonly content: string }; readonly finish_reason: string }];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

function answerTo(content: string): Answer {
  return JSON.parse(Buffer.concat(piecesFor(content)).toString()) as Answer;
}

interface Event {
  readonly choices: readonly { readonly delta: { readonly content?: string }; readonly finish_reason: string | null }[];
  readonly usage?: Answer['usage'];
}

function eventsFor(content: string): readonly Event[] {
  const data = piecesFor(content, { stream: true }).map((piece) => piece.toString().slice('data: '.length).trim());
  expect(data.pop()).toBe('[DONE]');
  return data.map((text) => JSON.parse(text) as Event);
}

const textOf = (events: readonly Event[]): string => events.map(({ choices }) => choices[0]?.delta.content ?? '').join('');

describe('echo repeats what was said, as far as it repeats anything', () => {
  it('a text up to the bound, whole', () => {
    const text = 'ab '.repeat(maxEchoCharacters / 3);
    const { choices, usage } = answerTo(text);
    expect(choices[0]).toMatchObject({ message: { content: text }, finish_reason: 'stop' });
    expect(usage).toMatchObject({ prompt_tokens: text.length / 3, completion_tokens: text.length / 3 });
  });

  it('of a longer one the beginning, no character cut in two, and counts what it does not repeat', () => {
    const { choices, usage } = answerTo(`${'a'.repeat(maxEchoCharacters - 1)}😀 b c`);
    expect(choices[0]).toMatchObject({ message: { content: 'a'.repeat(maxEchoCharacters - 1) }, finish_reason: 'length' });
    expect(usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 1 });
  });

  it('a stream has an event for each word, and no more events than its bound for very many', () => {
    expect(eventsFor('a b  c ').map(({ choices }) => choices[0]?.delta.content)).toEqual(['', 'a', ' b', '  c', ' ', undefined]);
    const many = eventsFor('a '.repeat(100_000));
    expect(many.length).toBeLessThanOrEqual(maxEchoEvents + 2);
    expect(textOf(many)).toBe('a '.repeat(100_000));
    expect(many.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: { completion_tokens: 100_000 } });
  });

  it('a stream of a longer text ends as one that was cut', () => {
    const events = eventsFor('a '.repeat(maxEchoCharacters));
    expect(textOf(events)).toBe('a '.repeat(maxEchoCharacters / 2));
    expect(events.at(-1)).toMatchObject({ choices: [{ finish_reason: 'length' }], usage: { prompt_tokens: maxEchoCharacters } });
  });
});
