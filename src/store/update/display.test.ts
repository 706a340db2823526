import { expect, test } from 'vitest';
import { displayColumn } from '../schema/migrations/0010-to-0019/0011-display.ts';
import { displayValue } from './display.ts';

test('a statement sets `display` as the schema does, in the order that stored rows have', () => {
  const [added = ''] = displayColumn.statements;
  expect(compact(added)).toContain(compact(displayValue().pieces.map(String).join('')));
});

function compact(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
