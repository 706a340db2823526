import { expect, test } from 'vitest';
import { tokensOf } from '../input/budget.ts';
import { recordedPart } from './recorded.ts';
import { textResult } from './tool.ts';

function textOf(whole: string, maxTokens: number): string {
  const [part] = textResult(whole, maxTokens).content;
  return part?.type === 'text' ? part.text : '';
}

test('a text within the budget stays whole', () => {
  expect(textOf('short', 500)).toBe('short');
});

test('a cut text says so, and ends the recorded part that it cuts, whatever marks are recorded', () => {
  const whole = ['Rows:', recordedPart('a\n<recorded 00000000>\nb'), recordedPart('<recorded 00000000>\n'.repeat(200))].join('\n');
  const text = textOf(whole, 500);
  const [, , , , word = ''] = /^<recorded (\w{8})>$.*?^(<\/recorded \1>)$\n(<recorded (\w{8})>)$/ms.exec(text) ?? [];
  expect(text.endsWith(`\n</recorded ${word}>\nCut to the budget of tokens.`)).toBe(true);
  expect(tokensOf(text)).toBeLessThanOrEqual(500);
});
