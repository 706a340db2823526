import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemDependencies } from './dependencies.ts';
import { serviceClient } from './client.ts';
import { serviceSettings } from './environment-file.ts';

let folder: string;
let environmentFile: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-env-'));
  environmentFile = path.join(folder, '.env');
});
afterEach(() => rmSync(folder, { recursive: true }));

const file =
  '# ours\nGATELOG_API_KEY="of-file"\nexport GATELOG_API_URL=http://file:1\nGATELOG_DATA_DIR=/elsewhere\nNODE_OPTIONS=--inspect\n';

test.each([
  ['nothing', {}, { apiUrl: 'http://file:1', apiKey: 'of-file' }],
  ['both', { GATELOG_API_KEY: 'k', GATELOG_API_URL: 'http://e:1' }, { apiUrl: 'http://e:1', apiKey: 'k' }],
  ['the address', { GATELOG_API_URL: 'http://e:1' }, { apiUrl: 'http://e:1', apiKey: 'of-file' }],
  ['an empty key', { GATELOG_API_KEY: '' }, { apiUrl: 'http://file:1', apiKey: undefined }],
  [
    'the key, which goes to no address of the file',
    { GATELOG_API_KEY: 'k' },
    { apiUrl: undefined, apiKey: 'k', isFileAddressUnused: true },
  ],
])('the file completes an environment that has %s', (_what, environment, settings) => {
  writeFileSync(environmentFile, file);
  expect(serviceSettings({ ...systemDependencies(environment), environmentFile })).toEqual(settings);
});

test('that an address of the file is not used is said', () => {
  writeFileSync(environmentFile, file);
  const hinted: string[] = [];
  serviceClient({ ...systemDependencies({ GATELOG_API_KEY: 'k' }), environmentFile, hint: (text) => hinted.push(text) });
  expect(hinted).toEqual([
    `GATELOG_API_URL of ${environmentFile} is not used, because GATELOG_API_KEY is set in the environment: set both in one place.`,
  ]);
});

test('no file, and a folder of its name, are nothing; a file that is no such file is an error', () => {
  const settings = { apiUrl: undefined, apiKey: undefined };
  expect(serviceSettings({ ...systemDependencies({}), environmentFile })).toEqual(settings);
  expect(serviceSettings({ ...systemDependencies({}), environmentFile: folder })).toEqual(settings);
  writeFileSync(environmentFile, '#'.repeat(1024 * 1024 + 1));
  expect(() => serviceSettings({ ...systemDependencies({}), environmentFile })).toThrow('has more than 1048576 bytes');
});
