import { describe, expect, test } from 'vitest';
import { isForm, readForm } from './multipart.ts';

const type = 'multipart/form-data; boundary=----x7';
const part = (head: string, value: string): string => `------x7\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
const read = (text: string, contentType = type): unknown => readForm(Buffer.from(text), contentType);
const file = part('name="file"; filename="speech.mp3"\r\nContent-Type: audio/mpeg', '\u0000\r\n\r\n--no');

describe('a form', () => {
  test('gives its fields and leaves files out', () => {
    const body = `${part('name="model"', 'whisper-1')}${file}${part('name=language', 'sv')}------x7--\r\n`;
    expect(read(body)).toEqual({ model: 'whisper-1', language: 'sv' });
  });

  test('may have its boundary in quotation marks, and a preamble', () => {
    const body = `preamble\r\n${part('name="prompt"', 'två\r\nrader')}------x7--`;
    expect(read(body, 'Multipart/Form-Data; charset=utf-8; boundary="----x7"')).toEqual({ prompt: 'två\r\nrader' });
  });

  test('that was cut off gives what came whole', () => {
    const body = `${part('name="model"', 'whisper-1')}${part('name="language"', 'sv')}`;
    for (let length = 0; length < body.length; length += 1) {
      expect([{}, { model: 'whisper-1' }]).toContainEqual(read(body.slice(0, length)));
    }
  });

  test('of a name given twice has the last, and any name is an ordinary one', () => {
    const body = `${part('name="__proto__"', 'a')}${part('name="n"', '1')}${part('name="n"', '2')}------x7--`;
    expect(JSON.stringify(read(body))).toBe('{"__proto__":"a","n":"2"}');
  });

  test.each([
    ['', type],
    ['{"model":"m"}', type],
    [part('name="a"', 'b'), 'multipart/form-data'],
    [`${part('nothing', 'b')}------x7--`, type],
    ['------x7\r\nno head------x7--', type],
  ])('is none in %j as %s', (body, contentType) => {
    expect(read(body, contentType)).toEqual({});
  });

  test('is read up to its limits', () => {
    const many = Array.from({ length: 100 }, (_, index) => part(`name="n${index}"`, 'v')).join('');
    expect(Object.keys(readForm(Buffer.from(`${many}------x7--`), type))).toHaveLength(64);
    expect(read(`${part('name="a"', 'x'.repeat(300_000))}------x7--`)).toEqual({});
  });
});

test.each([
  ['multipart/form-data; boundary=x', true],
  ['Multipart/Form-Data', true],
  ['multipart/mixed; boundary=x', false],
  ['application/json', false],
  ['', false],
])('%j is the type of a form: %s', (contentType, expected) => {
  expect(isForm(contentType)).toBe(expected);
});
