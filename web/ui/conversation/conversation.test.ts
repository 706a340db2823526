import { describe, expect, test } from 'vitest';
import { newTurns } from './new-turns.ts';
import { pairTools } from './pairs.ts';
import type { Part, ToolCall, ToolResult, Turn } from './read/part.ts';
import { blocksOf, cutText } from './text-blocks.ts';

const say = (role: Turn['role'], ...texts: readonly string[]): Turn => ({
  role,
  parts: texts.map((text): Part => ({ kind: 'text', text })),
});
const call = (name: string, id = ''): ToolCall => ({ kind: 'tool-call', id, name, input: {} });
const result = (id: string, name = ''): ToolResult => ({ kind: 'tool-result', id, name, isError: false, parts: [] });

describe('what is new in a turn', () => {
  const before = [say('system', 's'), say('user', 'one')];
  const continued = [...before, say('assistant', 'answer'), say('user', 'two')];
  test('comes after what the request before it sent, and after its answer', () => {
    expect(newTurns(continued, before)).toEqual({ from: 3, since: 'before' });
  });
  test('is nothing where the same is sent again', () => {
    expect(newTurns(before, before)).toEqual({ from: 2, since: 'before' });
  });
  test('is what the user and the tools said since the last answer where no request is before it', () => {
    expect(newTurns(continued, undefined)).toEqual({ from: 3, since: 'answer' });
    expect(newTurns(before, undefined)).toEqual({ from: 0, since: 'answer' });
  });
  test.each([
    ['another conversation', [say('user', 'else')]],
    ['the same instructions alone', [say('system', 's')]],
    ['a longer conversation', [...continued, say('assistant', 'more')]],
    ['a beginning that was changed since', [say('system', 'old'), say('user', 'one')]],
  ])('the request before it has %s: it says nothing', (_what, other) => {
    expect(newTurns(continued, other)).toEqual({ from: 3, since: 'answer' });
  });
});

const paired = (calls: readonly ToolCall[], results: readonly ToolResult[]): readonly number[] => {
  const { callOf, resultOf } = pairTools([
    { role: 'assistant', parts: calls },
    { role: 'tool', parts: results },
  ]);
  expect(resultOf.size).toBe(callOf.size);
  return results.map((one) => calls.findIndex((called) => called === callOf.get(one)));
};

describe('calls and results of tools', () => {
  test.each([
    ['by their identifiers, in any order', [call('a', '1'), call('a', '2')], [result('2'), result('1')], [1, 0]],
    [
      'by the name of the tool, in order',
      [call('a'), call('b'), call('a')],
      [result('', 'a'), result('', 'b'), result('', 'a')],
      [0, 1, 2],
    ],
    ['in order where nothing else is known', [call('a'), call('b')], [result(''), result('')], [0, 1]],
    ['not with a call of another identifier', [call('a', '1')], [result('2')], [-1]],
    ['each call once', [call('a', '1')], [result('1'), result('1')], [0, -1]],
  ])('are paired %s', (_how, calls, results, expected) => {
    expect(paired(calls, results)).toEqual(expected);
  });
});

describe('long texts', () => {
  const lines = Array.from({ length: 5000 }, (_none, at) => `Line ${at} of the log`).join('\n');
  test('are cut at the end of a line', () => {
    const cut = cutText(lines);
    expect(lines.startsWith(`${cut}\n`)).toBe(true);
    expect(cut.length).toBeLessThanOrEqual(2000);
  });
  test('are whole in their blocks', () => {
    expect(blocksOf(lines).join('\n')).toBe(lines);
    expect(Math.max(...blocksOf(lines).map(({ length }) => length))).toBeLessThanOrEqual(8000);
  });
  test('without any white space lose nothing, and no pair of surrogates', () => {
    const text = '🛳️'.repeat(9000);
    expect(blocksOf(text).join('')).toBe(text);
    expect(blocksOf(text).every((block) => block.isWellFormed())).toBe(true);
    expect(cutText('short')).toBe('short');
  });
});
