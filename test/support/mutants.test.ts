import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from './mutants.ts';

/** The compiler indents in its own way. */
const withoutSpace = (text: string): string => text.replaceAll(/\s/g, '');

test.each(Object.entries(mutants))('the code that the mutant %s changes is there, once', (_, { file, from }) => {
  const source = readFileSync(`src/${file.replace(/\.js$/, '.ts')}`, 'utf8');
  expect(withoutSpace(source).split(withoutSpace(from))).toHaveLength(2);
});
