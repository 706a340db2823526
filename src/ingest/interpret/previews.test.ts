import { array, assert, constantFrom, nat, property, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testSeed } from '../../../test/support/test-length.ts';
import { compileRules } from '../../redaction/redactor.ts';
import { redactEverything, redactTexts } from '../redaction/redact-texts.ts';
import { interpret, type InterpretSketch, json, stream } from '../testing/exchange-builder.ts';
import { inputPreviewOf, outputPreviewOf, previewOf } from './previews.ts';

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] })}\n\n`;
const seed = testSeed();
const noTexts = { promptText: '', lastUserText: '' };
const input = (body: unknown): string => inputPreviewOf(body, noTexts);
const output = (body: unknown): string => outputPreviewOf(body, '');

describe('a request is shown by what it says last', () => {
  const asked = { role: 'user', content: 'What is the weather in Paris?' };
  const called = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }],
  };
  test.each<[string, object, string]>([
    ['the user in a chat', { messages: [{ role: 'system', content: 'Be brief.' }, asked] }, 'What is the weather in Paris?'],
    ['the user before a begun answer', { messages: [asked, { role: 'assistant', content: 'It is' }] }, 'What is the weather in Paris?'],
    [
      'the last text of several',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'first' }, { type: 'image_url' }, { type: 'text', text: 'second' }] }] },
      'second',
    ],
    ['a tool in a chat', { messages: [asked, called, { role: 'tool', tool_call_id: 'c1', content: '18 °C' }] }, 'get_weather: 18 °C'],
    [
      'a tool in a chat of Ollama',
      { messages: [asked, called, { role: 'tool', tool_name: 'get_weather', content: '18 °C' }] },
      'get_weather: 18 °C',
    ],
    [
      'the user in the responses API',
      {
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
          { type: 'reasoning', summary: [] },
        ],
      },
      'Hello',
    ],
    [
      'a tool in the responses API',
      {
        input: [
          { role: 'user', content: 'Hello' },
          { type: 'function_call', call_id: 'c1', name: 'shell', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output: 'README.md' },
        ],
      },
      'shell: README.md',
    ],
    [
      "a tool in Anthropic's messages",
      {
        messages: [
          asked,
          { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: { path: 'a' } }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'one\n  two' }] }] },
        ],
      },
      'Read: one two',
    ],
    [
      'the user, not what an agent adds',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Fix the build' },
              { type: 'text', text: '<system-reminder>\nThe date is …</system-reminder>' },
            ],
          },
        ],
      },
      'Fix the build',
    ],
    [
      'the user at Gemini',
      {
        contents: [
          { role: 'user', parts: [{ text: 'Hello' }] },
          { role: 'model', parts: [{ text: 'Hi' }] },
        ],
      },
      'Hello',
    ],
    [
      'a tool at Gemini',
      { contents: [{ role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: { celsius: 18 } } }] }] },
      'get_weather: {"celsius":18}',
    ],
    [
      'a tool at Bedrock',
      {
        messages: [
          { role: 'assistant', content: [{ toolUse: { toolUseId: 'u1', name: 'get_weather', input: {} } }] },
          { role: 'user', content: [{ toolResult: { toolUseId: 'u1', content: [{ json: { celsius: 18 } }] } }] },
        ],
      },
      'get_weather: {"celsius":18}',
    ],
    ['a tool that is logged', { _type: 'tool', toolName: 'search', input: { q: 'cats' } }, 'search {"q":"cats"}'],
    ['a query of a vector database', { _type: 'vector_db', operation: 'search', text: 'cats' }, 'cats'],
    ['nobody but the system', { messages: [{ role: 'system', content: 'Be brief.' }] }, ''],
  ])('%s', (_, body, preview) => {
    expect(input(body)).toBe(preview);
  });

  test.each<[string, string, object, string]>([
    ['a completion', '/v1/completions', { model: 'm', prompt: 'Once upon' }, 'Once upon'],
    ['embeddings', '/v1/embeddings', { model: 'm', input: ['one', 'two'] }, 'one two'],
    ['a text of the responses API', '/v1/responses', { model: 'm', input: 'Hello' }, 'Hello'],
  ])('of %s it is the whole input', (_, path, body, preview) => {
    expect(interpret({ open: { path }, request: JSON.stringify(body) }).inputPreview).toBe(preview);
  });
});

describe('an answer is shown by its text, else by the first tool that it calls', () => {
  test.each<[string, object, string]>([
    [
      'a chat',
      { choices: [{ message: { content: null, tool_calls: [{ function: { name: 'f', arguments: '{\n "a": 1\n}' } }] } }] },
      'f { "a": 1 }',
    ],
    ['a chat of before tools', { choices: [{ message: { function_call: { name: 'f', arguments: '{}' } } }] }, 'f {}'],
    ['the responses API', { output: [{ type: 'reasoning' }, { type: 'function_call', name: 'f', arguments: '{}' }] }, 'f {}'],
    ["a provider's own tool", { output: [{ type: 'web_search_call', action: { query: 'cats' } }] }, 'web_search {"query":"cats"}'],
    [
      "Anthropic's messages",
      {
        content: [
          { type: 'thinking', thinking: '…' },
          { type: 'tool_use', name: 'f', input: { a: [1, { b: 2 }] } },
        ],
      },
      'f {"a":[1,{"b":2}]}',
    ],
    ['Gemini', { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] } }] }, 'f {"a":1}'],
    ['Bedrock', { output: { message: { content: [{ toolUse: { name: 'f', input: { a: 1 } } }] } } }, 'f {"a":1}'],
    ['Cohere', { message: { tool_calls: [{ type: 'function', function: { name: 'f', arguments: '{}' } }] } }, 'f {}'],
    ['Ollama', { message: { content: '', tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] } }, 'f {"a":1}'],
    ['a tool that is logged', { _type: 'tool', toolName: 'search', output: 'three cats' }, 'search three cats'],
    ['nothing', { choices: [] }, ''],
  ])('%s', (_, body, preview) => {
    expect(output(body)).toBe(preview);
  });

  test('a number whose digits may be others than those that came is not shown', () => {
    expect(output({ content: [{ type: 'tool_use', name: 'f', input: JSON.parse('{"id":12345678901234567890}') as unknown }] })).toBe(
      'f {"id":…}',
    );
  });

  test('a stream by the text that was put together', () => {
    const record = interpret({ headers: stream, response: `${chunk('Good\n')}${chunk('morning')}data: [DONE]\n\n` });
    expect(record.outputPreview).toBe('Good morning');
  });
});

describe('a preview is one line of at most 200 characters', () => {
  test('white space is one space', () => {
    expect(previewOf(' \n a\t\tb  c \u00a0 ')).toBe('a b c');
  });

  test('it ends between two characters', () => {
    expect(previewOf('🙂'.repeat(300))).toBe('🙂'.repeat(200));
    expect(previewOf(`${'🙂 '.repeat(99)}🙂x ${'🙂 '.repeat(300)}`)).toBe(`${'🙂 '.repeat(99)}🙂x`);
    expect(previewOf('\ud83d')).toBe('\ufffd');
  });

  test(`its words are those of the text, whatever white space is between them (seed ${seed})`, () => {
    const piece = constantFrom('a', 'word', ' ', '  ', '\n', '\u00a0', '🙂', '\ud83d', '.');
    const pieces = array(tuple(piece, constantFrom(1, 1, 1, 3, 199, 201, 403)), { maxLength: 60 });
    assert(
      property(pieces, nat(3), (parts, indent) => {
        const text = ' '.repeat(indent) + parts.map(([each, times]) => each.repeat(times)).join('');
        const line = Array.from(text.trim().replaceAll(/\s+/gu, ' '));
        expect(previewOf(text)).toBe(line.slice(0, 200).join('').trimEnd().toWellFormed());
      }),
      { seed, numRuns: 2000 },
    );
  });

  test('a text without end takes no time', () => {
    expect(previewOf(`${' '.repeat(4_000_000)}x${'y'.repeat(4_000_000)}`)).toBe(`x${'y'.repeat(199)}`);
    expect(
      output({ content: [{ type: 'tool_use', name: 'f', input: { a: Array.from({ length: 200_000 }, (_, index) => index) } }] }),
    ).toHaveLength(200);
  });
});

describe('a preview is as its body', () => {
  const request = JSON.stringify({ model: 'echo-1', messages: [{ role: 'user', content: `${'a'.repeat(190)} ann@example.com asks` }] });
  const response = JSON.stringify({
    choices: [
      { message: { content: null, tool_calls: [{ id: 'c', function: { name: 'mail', arguments: '{"to":"ann\\u0040example.com"}' } }] } },
    ],
  });
  const sketch: InterpretSketch = { request, requestHeaders: json, response };
  const redactors = compileRules([{ kind: 'email', pattern: null, replacement: '[EMAIL]', appliesTo: ['request', 'response'] }]);

  test('redacted whole before it is cut', () => {
    const { inputPreview, outputPreview } = interpret({ ...sketch, redact: (texts) => redactTexts(texts, redactors) });
    expect([inputPreview.slice(190), outputPreview]).toEqual([' [EMAIL] a', 'mail {"to":"[EMAIL]"}']);
  });

  test('left out where the rules could not be applied', () => {
    const { inputPreview, outputPreview } = interpret({ ...sketch, redact: (texts) => redactEverything(texts, redactors) });
    expect([inputPreview, outputPreview]).toEqual(['', '']);
  });

  test.each([
    ['requestBody', ['', 'mail {"to":"ann\\u0040example.com"}']],
    ['responseBody', [`${'a'.repeat(190)} ann@examp`, '']],
  ] as const)('left out with the %s', (body, previews) => {
    const { inputPreview, outputPreview } = interpret({ ...sketch, tags: { [body]: 'never' } });
    expect([inputPreview, outputPreview]).toEqual(previews);
  });
});
