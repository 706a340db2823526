import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openApiDocument } from '../src/api/openapi.ts';
import { clientTypes, type Document } from './support/client-types.ts';

const files = clientTypes(openApiDocument('0.0.0') as Document);

it.each([...files])('src/client/%s says what the OpenAPI document says', async (name, text) => {
  await expect(text).toMatchFileSnapshot(`../src/client/${name}`);
});

it.each(['types', 'endpoints'])('src/client/%s holds nothing else', (folder) => {
  const made = [...files.keys()].filter((name) => name.startsWith(`${folder}/`));
  expect(readdirSync(`src/client/${folder}`).map((name) => `${folder}/${name}`)).toEqual(made.toSorted());
});
