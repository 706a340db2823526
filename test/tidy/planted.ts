import type { Planted } from './rule.ts';
import { plantedShapes } from './planted-shape.ts';

const home = ['', 'root', 'gatelog'].join('/');
const registry = ['registry', 'npmjs', 'org'].join('.');
const tarball = ['https://packages.example.com/npm/a', '-', 'a-1.0.0.tgz'].join('/');

/** For every rule at least one tree that breaks it, and close relatives that do not. */
export const planted: readonly Planted[] = [
  {
    rule: 'provider names',
    title: 'a comparison, a header and a path',
    files: {
      'src/gateway/a.ts': `export const isA = (name: string) => name === 'mistral';\nexport const header = 'anthropic-version';\nexport const start = \`/openai/v1\`;`,
    },
    at: ['src/gateway/a.ts:1', 'src/gateway/a.ts:2', 'src/gateway/a.ts:3'],
  },
  {
    rule: 'provider names',
    title: 'in its folder, in a sentence, in an import, in a test',
    files: {
      'src/providers/mistral/wire.ts': `export const name = 'mistral';`,
      'src/gateway/a.ts': `import { b } from '../providers/amazon/wire.ts';\nexport const hint = 'Write openai/<name> for OpenAI.';`,
      'src/gateway/a.test.ts': `export const name = 'mistral';`,
    },
    at: [],
  },
  {
    rule: 'facts without parsers',
    title: 'a parser among the facts',
    files: {
      'src/providers/google/wire.ts': `import type { A } from '../provider.ts';\nimport { parse } from './stream.ts';`,
      'src/providers/wire-profile.ts': `import { googleWire } from './google/wire.ts';\nimport { format } from './registry.ts';`,
      'src/providers/registry.ts': `import { parse } from './google/stream.ts';`,
    },
    at: ['src/providers/google/wire.ts:2', 'src/providers/wire-profile.ts:2'],
  },
  ...plantedShapes,
  {
    rule: 'known room',
    title: 'a folder without a row',
    files: { 'src/attic/box.ts': 'export const box = 1;' },
    at: ['src/attic/box.ts:1'],
  },
  { rule: 'known room', title: 'a file beside the rooms', files: { 'src/loose.ts': 'export const loose = 1;' }, at: ['src/loose.ts:1'] },
  { rule: 'known room', title: 'the composition root', files: { 'src/main/core.ts': 'export const start = 1;' }, at: [] },
  {
    rule: 'room imports',
    title: 'every way to import',
    files: {
      'src/model/a.ts': [
        `import { b } from '../store/b.ts';`,
        `import type { B } from '../store/b.ts';`,
        `export { c } from '../store/b.ts';`,
        `export * from '../store/b.ts';`,
        `export const later = () => import('../store/b.ts');`,
        `export type D = import('../store/b.ts').D;`,
      ].join('\n'),
    },
    at: [1, 2, 3, 4, 5, 6].map((line) => `src/model/a.ts:${line}`),
  },
  {
    rule: 'room imports',
    title: 'values where only types are allowed',
    files: { 'src/query/a.ts': `import type { A } from '../contract/a.ts';\nimport { type B, c } from '../contract/a.ts';` },
    at: ['src/query/a.ts:2'],
  },
  {
    rule: 'room imports',
    title: 'a path beside the one that is allowed',
    files: { 'src/cli/a.ts': `import { a } from '../jobs/backup/copy.ts';\nimport { b } from '../jobs/erasures.ts';` },
    at: ['src/cli/a.ts:2'],
  },
  {
    rule: 'room imports',
    title: 'main from a room',
    files: { 'src/api/a.ts': `import { start } from '../main/core.ts';` },
    at: ['src/api/a.ts:1'],
  },
  {
    rule: 'room imports',
    title: 'test code',
    files: { 'src/api/a.ts': `import { fake } from '../../test/fake.ts';` },
    at: ['src/api/a.ts:1'],
  },
  {
    rule: 'room imports',
    title: 'a room from itself, main from all, a test from anywhere',
    files: {
      'src/spool/a.ts': `import { b } from './b.ts';`,
      'src/main/a.ts': `import { b } from '../spool/b.ts';`,
      'src/model/a.test.ts': `import { b } from '../spool/b.ts';`,
    },
    at: [],
  },
  {
    rule: 'package imports',
    title: 'the driver outside of its room',
    files: { 'src/api/a.ts': `import { createClient } from '@clickhouse/client';` },
    at: ['src/api/a.ts:1'],
  },
  {
    rule: 'package imports',
    title: 'a path inside a package',
    files: { 'src/api/a.ts': `import { x } from 'chdb/connection';` },
    at: ['src/api/a.ts:1'],
  },
  {
    rule: 'package imports',
    title: 'a package without a row',
    files: { 'src/store/a.ts': `import _ from 'lodash';` },
    at: ['src/store/a.ts:1'],
  },
  {
    rule: 'package imports',
    title: 'a module of Node under its old name',
    files: { 'src/store/a.ts': `import fs from 'fs';` },
    at: ['src/store/a.ts:1'],
  },
  {
    rule: 'package imports',
    title: 'the owner, and modules of Node',
    files: { 'src/store/a.ts': `import { x } from 'chdb/connection';\nimport { join } from 'node:path';` },
    at: [],
  },
  {
    rule: 'no cycles',
    title: 'three files in a circle, one edge only a type',
    files: {
      'src/model/a.ts': `export const a = 1;\nimport { b } from './b.ts';`,
      'src/model/b.ts': `import type { C } from './c.ts';`,
      'src/model/c.ts': `import { a } from './a.ts';`,
      'src/model/d.ts': `import { a } from './a.ts';`,
    },
    at: ['src/model/a.ts:2'],
  },
  {
    rule: 'no cycles',
    title: 'a file that imports itself',
    files: { 'src/model/a.ts': `import { a } from './a.ts';` },
    at: ['src/model/a.ts:1'],
  },
  {
    rule: 'no cycles',
    title: 'two ways to one file',
    files: {
      'src/model/a.ts': `import { b } from './b.ts';\nimport { c } from './c.ts';`,
      'src/model/b.ts': `import { c } from './c.ts';`,
      'src/model/c.ts': 'export const c = 1;',
    },
    at: [],
  },
  {
    rule: 'pure rooms',
    title: 'the ambient world',
    files: {
      'src/query/a.ts': [
        `import { readFileSync } from 'node:fs';`,
        'const now = Date.now();',
        'const then = new Date();',
        'const chance = Math.random();',
        `const answer = fetch('x');`,
        'console.log(process.argv);',
        'setTimeout(f, 1);',
      ].join('\n'),
      'src/platform/crc32.ts': `export const now = Date['now']();`,
    },
    at: [...[1, 2, 3, 4, 5, 6, 6, 7].map((line) => `src/query/a.ts:${line}`), 'src/platform/crc32.ts:1'],
  },
  {
    rule: 'pure rooms',
    title: 'names that only look like it, and rooms that may',
    files: {
      'src/query/a.ts': [
        'const day = new Date(0);',
        'const sum = Math.max(1, 2);',
        'const row = { process: 1, fetch() {} };',
        'const run = (fetch: () => void) => fetch();',
        'type Watch = typeof process;',
        'const id = row.process;',
      ].join('\n'),
      'src/platform/clock.ts': 'export const now = Date.now();',
      'src/query/a.test.ts': `import { readFileSync } from 'node:fs';`,
    },
    at: [],
  },
  {
    rule: 'environment',
    title: 'every way to read it',
    files: {
      'src/gateway/a.ts': 'const port = process.env.PORT;',
      'src/gateway/b.ts': `import process, { env } from 'node:process';\nconst port = process.env.PORT;`,
      'src/gateway/c.ts': 'const { pid, env } = process;',
    },
    at: ['src/gateway/a.ts:1', 'src/gateway/b.ts:1', 'src/gateway/b.ts:2', 'src/gateway/c.ts:1'],
  },
  {
    rule: 'environment',
    title: 'the front door',
    files: {
      'src/config/load.ts': 'const port = process.env.PORT;',
      'src/cli/main.ts': 'load(process.env);',
      'src/gateway/a.ts': 'const id = process.pid;',
      'test/a.ts': 'const home = process.env.HOME;',
    },
    at: [],
  },
  {
    rule: 'no console',
    title: 'a room that logs, and the command line',
    files: { 'src/store/a.ts': `console.warn('slow');`, 'src/cli/output.ts': `console.log('hello');`, 'bench/a.ts': 'console.log(1);' },
    at: ['src/store/a.ts:1'],
  },
  {
    rule: 'no suppressions',
    title: 'comments that silence',
    files: {
      'src/store/a.ts': '// @ts-ignore\nconst a = 1; // eslint-disable-line\n/* oxlint-disable */',
      'src/store/b.ts': `const text = '// @ts-ignore';\n// @ts-expect-error a Statement needs a tenant`,
    },
    at: [1, 2, 3].map((line) => `src/store/a.ts:${line}`),
  },
  {
    rule: 'reasoned skips',
    title: 'left out without a word',
    files: {
      'test/a.test.ts': [
        `it.skip('a', f);`,
        `describe.todo('b');`,
        `test.only('c because it is mine', f);`,
        `it.skipIf(isWindows)('d', f);`,
        'it.skip.each([1])(`e`, f);',
        `it('f', { skip: true }, f);`,
        `it('g', (context) => context.skip());`,
      ].join('\n'),
    },
    at: [1, 2, 3, 4, 5, 6, 7].map((line) => `test/a.test.ts:${line}`),
  },
  {
    rule: 'reasoned skips',
    title: 'left out with a reason, or not at all',
    files: {
      'test/a.test.ts': [
        `it.skipIf(isWindows)('d, not on Windows because it has no fork', f);`,
        `it('g', (context) => context.skip('because no server is given'));`,
        `it.each([1])('h', f);`,
        'list.skip(3);',
      ].join('\n'),
    },
    at: [],
  },
  {
    rule: 'polled pages',
    title: 'a look in the moment, and looks until it holds',
    files: {
      'test/a.test.ts': [
        `expect(await page.locator('p').first().innerText()).toBe('a');`,
        `expect(await list.getByRole('row').count()).toBe(2);`,
        `await expect.poll(() => list.getByRole('row').count()).toBe(2);`,
        `const width = (await column.boundingBox())?.width;`,
        `expect(await count(page)).toBe('2 requests');`,
      ].join('\n'),
    },
    at: ['test/a.test.ts:1', 'test/a.test.ts:2'],
  },
  {
    rule: 'no machine traces',
    title: 'paths and registries',
    files: {
      'README.md': `Run\n${home}/start`,
      'package-lock.json': `{\n"resolved": "${tarball}"\n}`,
      '.npmrc': 'registry=https://packages.example.com/',
      'docs/a.md': `See https://${registry}/.`,
    },
    at: ['README.md:2', 'package-lock.json:2', '.npmrc:1', 'docs/a.md:1'],
  },
  {
    rule: 'no machine traces',
    title: 'relative paths and addresses',
    files: { 'README.md': `src${home}\nhttps://example.com${home}\n/home/you/gatelog\nomit-lockfile-registry-resolved=true` },
    at: [],
  },
  {
    rule: 'named files',
    title: 'a file that has moved',
    files: {
      'ARCHITECTURE.md': 'See `src/spool/gone.ts`\nand src/spool/here.ts.',
      'docs/internals/decisions/0001-old.md': '`src/spool/gone.ts`',
      'src/spool/here.ts': 'export const here = 1;',
    },
    at: ['ARCHITECTURE.md:1'],
  },
  {
    rule: 'exact versions',
    title: 'a range, a tag, an address',
    files: {
      'package.json': JSON.stringify(
        { dependencies: { a: '1.0.0', b: '^1.0.0' }, devDependencies: { c: 'latest', d: '2.0.0-beta.1' } },
        null,
        1,
      ),
    },
    at: ['package.json:4', 'package.json:7'],
  },
  {
    rule: 'complete lock',
    title: 'one platform of two',
    files: {
      'package-lock.json': JSON.stringify({
        packages: {
          '': {},
          'node_modules/a': { optionalDependencies: { 'a-linux-x64': '1.0.0', 'a-darwin-x64': '1.0.0' } },
          'node_modules/a-linux-x64': { version: '1.0.0' },
          'node_modules/b': { optionalDependencies: { 'b-nested': '1.0.0' } },
          'node_modules/b/node_modules/b-nested': { version: '1.0.0' },
        },
      }),
    },
    at: ['package-lock.json:1'],
  },

  {
    rule: 'built statements',
    title: 'statements as text',
    files: {
      'src/store/a.ts': [
        "const a = 'SELECT 1 FROM requests';",
        'const b = `UPDATE ${table} SET a = 1`;',
        "const c = 'DELETE FROM bodies WHERE a';",
        'const d = sql`a IN (changes)`;',
        'const e = `ALTER TABLE session_tags DELETE WHERE ${a}`;',
        "const f = 'INSERT INTO `removals` SELECT 1';",
      ].join('\n'),
    },
    at: [1, 2, 3, 4, 5, 6].map((line) => `src/store/a.ts:${line}`),
  },
  {
    rule: 'built statements',
    title: 'the engine’s own tables, sentences, derived tables, steps of the schema, and tests',
    files: {
      'src/store/a.ts': "const a = 'SELECT name FROM system.parts';\nconst b = 'taken from requests';\nconst c = `SELECT 1 FROM (${a})`;",
      'src/store/schema/migrations/0001-a.ts': "const a = 'ALTER TABLE requests ADD COLUMN a UInt8';",
      'src/store/a.test.ts': "const a = 'SELECT 1 FROM requests';",
    },
    at: [],
  },
  {
    rule: 'named across organisations',
    title: 'a file that the list does not name',
    files: {
      'src/query/a.ts': "import { acrossOrganizations, requests } from '../sql/tables.ts';",
      'src/store/delete/retention.ts': "import { acrossOrganizations } from '../../sql/tables.ts';",
      'src/store/a.ts': "import { requests } from '../sql/tables.ts';",
    },
    at: ['src/query/a.ts:1'],
  },
];
