import { expect, test } from 'vitest';
import { displayColumn } from '../schema/migrations/0011-display.ts';
import { displayValue } from './display.ts';

test('a statement sets `display` as the schema does, in the order that stored rows have', () => {
  const [added = ''] = displayColumn.statements;
  const compact = (text: string): string => text.replaceAll(/\s+/g, '');
  expect(compact(added)).toContain(compact(displayValue().pieces.map(String).join('')));
});
