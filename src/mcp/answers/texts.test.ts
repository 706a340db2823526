import { expect, test } from 'vitest';
import { beginningOf, tokensOf } from '../input/budget.ts';
import { answeredIn, askedIn, excerpt, fullPromptIn } from './texts.ts';

const chat = (content: unknown): object => ({
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content },
  ],
});

test.each([
  ['a chat', chat('How?'), 'How?'],
  ['a chat in parts', chat([{ type: 'text', text: 'What' }, { type: 'image_url' }, { type: 'text', text: 'is it?' }]), 'What is it?'],
  [
    'a chat that a tool answered last',
    {
      messages: [
        { role: 'user', content: 'How?' },
        { role: 'tool', content: '7' },
      ],
    },
    'How?',
  ],
  ['responses', { input: [{ role: 'user', content: [{ type: 'input_text', text: 'How?' }] }] }, 'How?'],
  ['responses with a text', { input: 'How?' }, 'How?'],
  ['Gemini', { contents: [{ parts: [{ text: 'How?' }] }] }, 'How?'],
  ['a completion', { prompt: 'Once' }, 'Once'],
  ['no JSON', 'plain', 'plain'],
  ['no body', null, ''],
])('the question of %s', (_what, body, asked) => {
  expect(askedIn(body)).toBe(asked);
});

test.each([
  ['a chat', { choices: [{ message: { content: 'So.' } }, { message: { content: 'Or so.' } }] }, 'So.'],
  ['a call of a tool', { choices: [{ message: { content: null, tool_calls: [{ function: { name: 'f', arguments: '{}' } }] } }] }, 'f {}'],
  ['messages', { content: [{ type: 'text', text: 'So.' }] }, 'So.'],
  ['responses', { error: null, output: [{ content: [{ text: 'So.' }] }] }, 'So.'],
  ['Gemini', { candidates: [{ content: { parts: [{ text: 'So.' }] } }] }, 'So.'],
  ['an error', { error: { type: 'overloaded', message: 'Later.' } }, 'overloaded: Later.'],
  ['an error without a message', { error: { code: 7 } }, '7: {"code":7}'],
])('the answer of %s', (_what, body, answered) => {
  expect(answeredIn(body)).toBe(answered);
});

test('the whole prompt holds every message', () => {
  expect(fullPromptIn({ system: 'Short.', messages: [{ content: 'One' }, { content: 'two' }] })).toBe('Short.\nOne two');
});

test('an excerpt shows what was looked for, and cuts between characters', () => {
  const text = `${'before '.repeat(50)}the Refund policy${' after'.repeat(50)}`;
  expect(excerpt(text, 40, ['refund POLICY'])).toMatch(/^….*Refund policy.*…$/);
  expect(excerpt('😀😀😀', 2)).toBe('😀😀…');
  expect(excerpt('a\n\n b', 10)).toBe('a b');
});

test('the beginning of a text fits its tokens and ends between characters', () => {
  const text = '😀'.repeat(100);
  const beginning = beginningOf(text, 11);
  expect(tokensOf(beginning)).toBeLessThanOrEqual(11);
  expect(beginning.isWellFormed()).toBe(true);
  expect(text.startsWith(beginning)).toBe(true);
});
