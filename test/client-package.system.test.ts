import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { ts } from '@ts-morph/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { type Project, projectWithPackage } from './support/packed-package.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { byLength } from './support/test-length.ts';

const dataDir = makeDataDir();
let project: Project;
let service: Service;
let requestId: string;

beforeAll(async () => {
  project = projectWithPackage();
  service = await startService({ dataDir, environment: { GATELOG_INGEST_INTERVAL_MS: '20' } });
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}`, 'svc-property-Team': 'search' },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'packed client' }] }),
  });
  requestId = response.headers.get('svc-id') ?? '';
  await apiClient(service.api).stored(requestId);
});
afterAll(async () => {
  await service?.stop();
  project?.remove();
  removeDataDir(dataDir);
});

const environment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  GATELOG_API_URL: service.api,
  GATELOG_API_KEY: testKey,
});

/** Runs a module in the project. @returns what it prints. */
function run(name: string, text: string): string {
  return execFileSync(process.execPath, [project.write(name, text)], { cwd: project.folder, env: environment(), encoding: 'utf8' });
}

describe('the client of the packed package', () => {
  it('runs in Node with nothing else installed, with address and key from the environment', () => {
    const printed = run(
      'read.mjs',
      `import { createClient, where } from 'gatelog/client';
       const gatelog = createClient();
       const { data } = await gatelog.requests.query({ filter: where('properties.Team', 'equals', 'search') });
       console.log(data.map((request) => request.request_id).join());`,
    );
    expect(printed.trim()).toBe(requestId);
  });

  it('is small', () => {
    const folder = path.join(project.folder, 'node_modules', 'gatelog', 'dist', 'client');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    const bytes = gzipSync(files.map((name) => readFileSync(path.join(folder, name), 'utf8')).join('\n')).length;
    expect(bytes).toBeLessThan(16 * 1024);
  });
});

const strict = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  // The declarations are checked too.
  skipLibCheck: false,
};

/** What programs use the client. */
const uses = [
  ['a browser’s program, bundled', { lib: ['es2023', 'dom'], types: [], module: 'esnext', moduleResolution: 'bundler' }],
  ['a program of Node', { lib: ['es2023'], types: ['node'], module: 'nodenext', moduleResolution: 'nodenext' }],
] as const;

/** Declarations of the language, which the other package lacks. */
const standardLibraries = path.resolve('node_modules', '@typescript', `typescript-${process.platform}-${process.arch}`, 'lib');

const examples = readFileSync('test/support/client-examples.ts', 'utf8').replace('../../src/client/client.ts', 'gatelog/client');

describe('its declarations accept what must compile and refuse what must not', () => {
  beforeAll(() => {
    project.write('examples.ts', examples);
    project.link('@types/node');
    project.link('undici-types');
  });

  it.each(uses)('with TypeScript 7 in %s', (_, use) => {
    expect(compiled({ ...strict, ...use }, 'examples.ts')).toBe('');
  });

  it.each(uses.slice(0, byLength(1, uses.length)))('with TypeScript 6 in %s', (_, use) => {
    const { options, errors } = ts.convertCompilerOptionsFromJson({ ...strict, ...use, target: 'es2023' }, project.folder);
    expect(errors).toEqual([]);
    const host = {
      ...ts.createCompilerHost(options),
      getCurrentDirectory: () => project.folder,
      getDefaultLibLocation: () => standardLibraries,
      getDefaultLibFileName: () => path.join(standardLibraries, 'lib.d.ts'),
    };
    const found = ts.getPreEmitDiagnostics(ts.createProgram([path.join(project.folder, 'examples.ts')], options, host));
    expect(ts.formatDiagnostics(found, { ...host, getCanonicalFileName: (name) => name, getNewLine: () => '\n' })).toBe('');
  });

  it('a missing mistake is told', () => {
    project.write(
      'no-mistake.ts',
      "import { where } from 'gatelog/client';\n// @ts-expect-error There is none.\nwhere('cost', 'gt', 1);\n",
    );
    expect(compiled({ ...strict, ...uses[0][1] }, 'no-mistake.ts')).toContain("Unused '@ts-expect-error' directive.");
  });
});

/** @returns the compiler's messages. */
function compiled(compilerOptions: object, file: string): string {
  project.write('tsconfig.json', JSON.stringify({ compilerOptions: { target: 'es2023', ...compilerOptions }, files: [file] }));
  const compiler = path.resolve('node_modules', 'typescript', 'bin', 'tsc');
  return spawnSync(process.execPath, [compiler, '-p', 'tsconfig.json'], { cwd: project.folder, encoding: 'utf8' }).stdout;
}

describe('a client by openapi-typescript', () => {
  it('compiles and calls', () => {
    const generator = path.resolve('node_modules', 'openapi-typescript', 'bin', 'cli.js');
    const preload = path.resolve('test', 'support', 'typescript-6.mjs');
    // Without the option a field with a default would be required in a query.
    const options = ['--default-non-nullable=false', '-o', path.join(project.folder, 'schema.ts')];
    execFileSync(process.execPath, ['--import', preload, generator, path.resolve('openapi.json'), ...options]);
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types/node', 'undici-types']) project.link(name);
    project.write(
      'generated.ts',
      `import createClient from 'openapi-fetch';
       import type { paths } from './schema.js';
       const client = createClient<paths>({
         baseUrl: process.env['GATELOG_API_URL'] ?? '',
         headers: { authorization: \`Bearer \${process.env['GATELOG_API_KEY']}\` },
       });
       const page = await client.POST('/v1/request/query-clickhouse', {
         body: {
           filter: { request_response_rmt: { properties: { Team: { equals: 'search' } } } },
           sort: { created_at: 'desc' },
           limit: 1,
         },
       });
       const id: string = page.data?.data[0]?.request_id ?? '';
       const one = await client.GET('/v1/request/{id}', { params: { path: { id }, query: { includeBody: 'false' } } });
       const cost: number | null | undefined = one.data?.data.cost;
       const wrong = await client.POST('/v1/request/count/query', { body: { filter: { request_response_rmt: { cost: { gt: 'x' as unknown as number } } } } });
       console.log(JSON.stringify([id, cost, wrong.error?.code, wrong.error?.details]));
       // @ts-expect-error No such path.
       export const missing = () => client.GET('/v1/requests', {});
       // @ts-expect-error The filter is required.
       export const bare = () => client.POST('/v1/request/query-clickhouse', { body: { limit: 1 } });`,
    );
    const { noEmit: _, ...emitting } = strict;
    expect(compiled({ ...emitting, ...uses[1][1], skipLibCheck: true }, 'generated.ts')).toBe('');
    const printed = execFileSync(process.execPath, ['generated.js'], { cwd: project.folder, env: environment(), encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual([requestId, expect.any(Number), 'invalid_filter', { path: 'filter.request_response_rmt.cost.gt' }]);
  });
});
