import { describe, expect, test } from 'vitest';
import { plainText, readMarkdown, safeAddress } from './read-markdown.ts';

const kinds = (text: string): readonly string[] | undefined => readMarkdown(text)?.map(({ type }) => type);

describe('a text in markdown', () => {
  test('has its parts, and markup in it stays what was written', () => {
    expect(kinds('# Title\n\n- one\n- two\n\n`code`')).toEqual(['heading', 'space', 'list', 'space', 'paragraph']);
    expect(readMarkdown('<img src=x onerror=alert(1)>')?.[0]).toMatchObject({ type: 'html', raw: '<img src=x onerror=alert(1)>' });
  });
  test.each([
    ['very long', 'word '.repeat(50_000)],
    ['nested by quotes', '>'.repeat(5000)],
    ['nested by brackets', '['.repeat(5000)],
    ['nested by stars', '* '.repeat(5000)],
  ])('is shown as it is where it is %s', (_what, text) => {
    expect(readMarkdown(text)).toBeUndefined();
  });
  test('has its parts where it is long, whole', () => {
    const text = '# Title\n\nSome *words* here.\n\n'.repeat(1000);
    const tokens = readMarkdown(text) ?? [];
    expect(tokens.filter(({ type }) => type === 'heading')).toHaveLength(1000);
    expect(tokens.map(({ raw }) => raw).join('')).toBe(text);
  });
  test('has code and paragraphs that are long by themselves as they were written', () => {
    const code = 'let a;\n\n'.repeat(2000);
    expect(readMarkdown(`# Title\n\n\`\`\`js\n${code}\`\`\`\n`)).toMatchObject([
      { type: 'heading' },
      { type: 'space' },
      { type: 'code', lang: 'js', text: code.slice(0, -1) },
    ]);
    const marks = `${'`'.repeat(190_000)}x`;
    expect(readMarkdown(`~~~\n${marks}\n~~~\n`)).toMatchObject([{ type: 'code', text: marks }]);
    expect(readMarkdown(`\`\`\`\n${marks}`)).toMatchObject([{ type: 'code', text: marks }]);
    const words = '*word* '.repeat(2000);
    expect(readMarkdown(words)).toMatchObject([{ type: 'paragraph', text: words }]);
  });
  test('keeps its characters', () => {
    expect(plainText('a &lt;b&gt; &amp;lt; &unknown;')).toBe('a <b> &lt; &unknown;');
  });
});

test.each([
  ['https://harbour.example/pier', true],
  ['HTTP://harbour.example', true],
  ['mailto:ann@harbour.example', true],
  ['javascript:alert(1)', false],
  ['data:text/html,<script>1</script>', false],
  ['//harbour.example/pier', false],
  ['/v1/export', false],
])('a click may open %s: %s', (address, mayOpen) => {
  expect(safeAddress(address) !== undefined).toBe(mayOpen);
});
