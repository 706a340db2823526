import { expect, test } from 'vitest';
import { kept } from './kept.ts';

test('a thing is made once for each key', () => {
  const asked: string[] = [];
  const make = kept((key: string) => {
    asked.push(key);
    return key === 'none' ? undefined : { key };
  });
  expect(make('a')).toBe(make('a'));
  expect([make('b'), make('none'), make('none')]).toEqual([{ key: 'b' }, undefined, undefined]);
  expect(asked).toEqual(['a', 'b', 'none']);
});
