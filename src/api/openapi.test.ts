import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { endpoints } from './endpoints.ts';
import { openApiDocument } from './openapi.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string };

test('the document at the root of the repository is the one that is served', async () => {
  await expect(`${JSON.stringify(openApiDocument(version), undefined, 2)}\n`).toMatchFileSnapshot('../../openapi.json');
});

interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

test('every operation can be found by its tag and called by its name, and says whether it needs a key', () => {
  const document = openApiDocument(version) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly servers: readonly object[];
    readonly tags: readonly { readonly name: string }[];
  };
  expect(document.servers).toEqual([{ url: '/', description: expect.any(String) as string }]);
  const operations = Object.values(document.paths).flatMap((ofPath) => Object.values(ofPath));
  const names = operations.map(({ operationId }) => operationId);
  expect(names).not.toContain(undefined);
  expect(new Set(names).size).toBe(names.length);
  for (const { tags, security } of operations) {
    expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...(tags ?? [undefined])]));
    expect(security).toBeDefined();
  }
  const keyless = operations.filter(({ tags }) => tags?.includes('Monitoring') === true);
  expect(keyless.every(({ security }) => security?.length === 0)).toBe(true);
});

test.each(['/v1/otlp/v1/traces', '/v1/otlp/v1/logs', '/v1/otlp/v1/metrics', '/v1/trace/log'])(
  'says each media type that %s takes',
  (path) => {
    const document = openApiDocument(version) as { readonly paths: Readonly<Record<string, { readonly post: Operation }>> };
    const types = Object.keys(document.paths[path]?.post.requestBody?.content ?? {});
    expect(types).toEqual(expect.arrayContaining(['application/json', 'application/x-protobuf']));
  },
);

test.each(endpoints.filter(({ declaration }) => declaration.request?.body !== undefined))(
  'shows a body that can be sent to $declaration.path',
  ({ declaration: { path, method, request } }) => {
    const { paths } = openApiDocument(version) as { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
    const [type = ''] = Object.keys(request?.body?.content ?? {});
    const example = paths[path]?.[method]?.requestBody?.content[type]?.example;
    const content = request?.body?.content[type] as { readonly schema: { readonly parse: (value: unknown) => unknown } };
    expect(example).toBeDefined();
    expect(() => content.schema.parse(example)).not.toThrow();
  },
);

interface Answer {
  readonly headers?: Readonly<Record<string, unknown>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Answer>> }>>>>;

const { paths } = openApiDocument(version) as { readonly paths: Paths };
const responsesOf = (method: string, path: string): Readonly<Record<string, Answer>> => paths[path]?.[method]?.responses ?? {};

test('declares the headers of failures wherever they come', () => {
  for (const { responses } of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    expect(responses['405']?.headers).toHaveProperty('Allow');
    expect(responses['401'] === undefined || 'WWW-Authenticate' in (responses['401'].headers ?? {})).toBe(true);
  }
  for (const { declaration } of endpoints) {
    expect(responsesOf(declaration.method, declaration.path)).toMatchObject({
      401: { headers: { 'WWW-Authenticate': {} } },
      503: { headers: { 'Retry-After': {} } },
    });
  }
  expect(responsesOf('post', '/v1/request/query-clickhouse')['200']?.headers).toHaveProperty('svc-hint');
  for (const path of ['/v1/request/{id}', '/v1/request/{id}/changes', '/v1/session/{id}', '/v1/session/{id}/tag']) {
    expect(responsesOf('get', path)['404']?.headers).toHaveProperty('svc-hint');
  }
});

test('declares the time limit wherever the store is asked', () => {
  for (const [method, path] of [
    ['post', '/v1/request/query-clickhouse'],
    ['get', '/v1/request/{id}'],
    ['put', '/v1/request/{id}/property'],
    ['post', '/v1/request/{id}/score'],
    ['post', '/v1/request/{id}/feedback'],
    ['get', '/v1/request/{id}/changes'],
    ['get', '/v1/session/{id}'],
    ['get', '/v1/session/{id}/tag'],
    ['post', '/v1/session/{id}/tag'],
    ['post', '/v1/session/{id}/feedback'],
    ['put', '/v1/session/{id}/property'],
  ] as const) {
    expect(responsesOf(method, path)).toHaveProperty('504');
  }
});

test('declares what the pages without a key answer', () => {
  expect(Object.keys(responsesOf('get', '/healthz'))).toEqual(['200', '405']);
  expect(Object.keys(responsesOf('get', '/readyz'))).toEqual(['200', '405', '503']);
  expect(Object.keys(responsesOf('get', '/openapi.json'))).toEqual(['200', '405']);
});

test('every endpoint is in it, asks for a key, and declares its failures', () => {
  for (const { declaration } of endpoints) {
    expect(paths[declaration.path]?.[declaration.method]).toMatchObject({
      security: [{ bearer: [] }],
      responses: { 200: {}, 401: {}, 403: {}, 500: {}, 503: {} },
    });
  }
});
