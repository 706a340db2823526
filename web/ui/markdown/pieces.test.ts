import { describe, expect, test } from 'vitest';
import { piecesOf } from './pieces.ts';

describe('a long text is read in pieces', () => {
  test('which are cut between paragraphs, and together are the text', () => {
    const text = 'one one\n\ntwo two\n\n\nthree\n';
    expect(piecesOf(text, 10)).toEqual(['one one\n\n', 'two two\n\n\n', 'three\n']);
    expect(piecesOf(text, 100)).toEqual([text]);
  });
  test('and not within code, where empty lines mean nothing', () => {
    const code = '```js\nlet a;\n\nlet b;\n```\n';
    expect(piecesOf(`before\n${code}after\n`, 12)).toEqual(['before\n', code, 'after\n']);
    expect(piecesOf(`~~~~\n~~~\n\n\`\`\`\n~~~~\n\nafter`, 8)).toEqual(['~~~~\n~~~\n\n```\n~~~~\n\n', 'after']);
  });
  test('code that nothing ends goes on to the end', () => {
    expect(piecesOf('one\n\n```\na\n\nb\n\nc', 5)).toEqual(['one\n\n', '```\na\n\nb\n\nc']);
  });
});
