import { expect, it } from 'vitest';
import { hasLines, hasShown, pageOf } from './page-blocks.ts';

const page = (...lines: readonly string[]): string => lines.join('\n');

it('a JSON or text block is what the block before it prints', () => {
  const { blocks, strays } = pageOf('a.md', page('```sh', 'date', '```', 'It prints', '```text', 'Mon', '```', '```js', '1', '```'));
  expect(blocks.map(({ text, expectation }) => [text, expectation?.text])).toEqual([
    ['date', 'Mon'],
    ['1', undefined],
  ]);
  expect(strays).toEqual([]);
});

it('a block that is not run, and output that is not compared, have their reason above them', () => {
  const { blocks, strays } = pageOf(
    'a.md',
    page('<!-- not run: it needs an account -->', '```sh', 'pay', '```', '<!-- not compared: it has the date -->', '```text', 'x', '```'),
  );
  expect(blocks.map(({ notRunBecause }) => notRunBecause)).toEqual(['it needs an account']);
  expect(strays).toEqual([]);
});

it('output of no block, and a block in another language, are strays', () => {
  const markdown = page('```json', '{}', '```', '```ruby', 'x', '```', '```sh', 'a', '```', '```text', 'b', '```', '```text', 'c', '```');
  expect(pageOf('a.md', markdown).strays).toEqual(['a.md:1', 'a.md:4', 'a.md:13']);
});

it.each([
  ['more fields and more elements', { a: [1, { b: 2, c: 3 }], d: 4 }, { a: [{ b: 2 }] }, true],
  ['another number', { cost: 0.000003 }, { cost: 0.000004 }, false],
  ['a field that is not there', {}, { a: '…' }, false],
  ['an ellipsis for any value', { a: 7 }, { a: '…' }, true],
  ['an ellipsis within a text', { a: 'sk-svc-us-Ab3x' }, { a: 'sk-svc-us-…' }, true],
  ['an empty list that is not empty', { data: [1] }, { data: [] }, false],
  ['elements in another order', [1, 2], [2, 1], false],
  ['null where something is', { error: 'no' }, { error: null }, false],
])('JSON: %s', (_name, actual, shown, fits) => {
  expect(hasShown(actual, shown)).toBe(fits);
});

it.each([
  ['lines between others', 'a\nb\nc', 'a\nc', true],
  ['another order', 'a\nb', 'b\na', false],
  ['a part of a line', 'HTTP/1.1 200 OK', 'HTTP/1.1', false],
  ['an ellipsis', 'svc-id: 01a2', 'svc-id: …', true],
])('lines: %s', (_name, output, shown, fits) => {
  expect(hasLines(output, shown)).toBe(fits);
});
