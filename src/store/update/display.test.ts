import { expect, test } from 'vitest';
import { factsOfCalls } from '../schema/migrations/0020-facts-of-calls.ts';
import { displayValue } from './display.ts';

test('a statement sets `display` as the schema does, in the order that stored rows have', () => {
  // The last migration that sets it.
  expect(compact(factsOfCalls.statements.join(' '))).toContain(compact(displayValue().pieces.map(String).join('')));
});

function compact(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
