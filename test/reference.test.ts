import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openApiDocument } from '../src/api/openapi.ts';
import { buildProgram } from '../src/cli/command.ts';
import { systemDependencies } from '../src/cli/base/dependencies.ts';
import { responseHeaderDescriptions } from '../src/gateway/directives/descriptions.ts';
import { openApiOf } from './support/openapi-document.ts';
import { commandLinePage, errorsPage, headersPage, httpApiPage, settingsPage } from './support/reference-pages.ts';

/** Not as it is written in `openapi.json`, so that one run with `-u` brings both up to date. */
const openApi = openApiOf(JSON.parse(JSON.stringify(openApiDocument(''))));

it.each([
  ['settings', settingsPage],
  ['errors', errorsPage],
  ['headers', () => headersPage(openApi)],
  ['http-api', () => httpApiPage(openApi)],
  ['cli', () => commandLinePage(buildProgram(systemDependencies({})))],
])('docs/reference/%s.md says what the code says', async (name, render) => {
  await expect(render()).toMatchFileSnapshot(`../docs/reference/${name}.md`);
});

it('every header that the gateway puts on responses is described, and no other', () => {
  const files = readdirSync('src/gateway', { recursive: true, encoding: 'utf8' }).filter((path) => /(?<!\.test)\.ts$/.test(path));
  const texts = files.filter((path) => !path.endsWith('descriptions.ts')).map((path) => readFileSync(`src/gateway/${path}`, 'utf8'));
  const named = texts.flatMap((text) => [...text.matchAll(/'(svc-[a-z-]*[a-z])'/g)].map(([, name = '']) => name));
  expect(Object.keys(responseHeaderDescriptions).toSorted()).toEqual([...new Set(named)].toSorted());
});
