import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { endpoints } from './endpoints.ts';
import { openApiDocument } from './openapi.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string };

test('the document at the root of the repository is the one that is served', async () => {
  await expect(`${JSON.stringify(openApiDocument(version), undefined, 2)}\n`).toMatchFileSnapshot('../../openapi.json');
});

test('every endpoint is in it, asks for a key, and declares its failures', () => {
  const document = openApiDocument(version) as { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  for (const { declaration } of endpoints) {
    expect(document.paths[declaration.path]?.[declaration.method]).toMatchObject({
      security: [{ bearer: [] }],
      responses: { 200: {}, 401: {}, 403: {}, 500: {}, 503: {} },
    });
  }
});
