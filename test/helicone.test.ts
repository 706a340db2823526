import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readOpenApi } from './support/openapi-document.ts';
import { heliconeOperations } from './support/helicone/operations.ts';
import { heliconeTables, unansweredHeaders, wrongResponseHeaders } from './support/helicone/tables.ts';

/** A path without the names of its parameters, which differ. */
const shapeOf = (operation: string): string => operation.replaceAll(/\{\w+\}/g, '{}');

it('the guide says what becomes of every operation and header of Helicone', async () => {
  const page = readFileSync('docs/guides/migrating-from-helicone.md', 'utf8');
  await expect(heliconeTables(page)).toMatchFileSnapshot('../docs/guides/migrating-from-helicone.md');
});

it('the guide names every operation, also those that stay out', () => {
  const page = readFileSync('docs/guides/migrating-from-helicone.md', 'utf8');
  const missing = heliconeOperations.flatMap(({ operations }) => operations).filter((operation) => !page.includes(`| \`${operation}\` |`));
  expect(missing).toEqual([]);
});

it('an operation of Helicone is said to be here when it is declared, and only then', () => {
  const declared = new Set(readOpenApi('openapi.json').endpoints.map(({ method, path }) => shapeOf(`${method} ${path}`)));
  for (const { fate, operations } of heliconeOperations) {
    const here = operations.filter((operation) => declared.has(shapeOf(operation)));
    expect(here).toEqual(fate === 'here' ? operations : []);
  }
});

it('each of the 254 operations of the document and each of the 22 metrics stands in the list once', () => {
  const all = heliconeOperations.flatMap(({ operations }) => operations);
  expect([all.length, new Set(all).size]).toEqual([276, 276]);
});

it('every header of Helicone is carried out, or its warning says what happens without it', () => {
  expect(unansweredHeaders()).toEqual([]);
  expect(wrongResponseHeaders()).toEqual([]);
});
