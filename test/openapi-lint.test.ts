import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';

/** The rules of `redocly lint`, without the rest of its command line. */
async function problemsIn(source: string): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message, location: [place] }) => `${ruleId}: ${message} (${place?.pointer ?? ''})`);
}

const source = readFileSync('openapi.json', 'utf8');

test('the OpenAPI document follows the recommended rules of redocly', async () => {
  expect(await problemsIn(source)).toEqual([]);
});

test('the rules find what is wrong', async () => {
  const { get } = (JSON.parse(source) as Document).paths['/healthz'];
  const wrong = { ...JSON.parse(source), paths: { '/healthz': { get: { ...get, security: [{ unknown: [] }] } } } } as object;
  expect(await problemsIn(JSON.stringify(wrong))).toEqual(
    expect.arrayContaining([expect.stringContaining('security-defined: There is no `unknown` security scheme defined.')]),
  );
});

interface Document {
  readonly paths: { readonly '/healthz': { readonly get: Readonly<Record<string, unknown>> } };
}
