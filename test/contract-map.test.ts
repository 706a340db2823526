import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const map = readFileSync(new URL('../docs/internals/contract-coverage.md', import.meta.url), 'utf8');
const rows = [...map.matchAll(/^\| (.+?) \| `([^`]+)` › (.+?) \|$/gm)].map(([, sentence = '', file = '', name = '']) => ({
  sentence,
  file,
  name,
}));

it('every sentence of the contract names a test', () => {
  const sentences = [...map.matchAll(/^\| (?!Sentence|---)(.+)$/gm)];
  expect(sentences.length).toBeGreaterThan(35);
  expect(rows).toHaveLength(sentences.length);
});

it.each(rows)('$file has: $name', ({ file, name }) => {
  const source = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  expect(source).toContain(name);
});
