import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientAddressHeader } from '../src/platform/http/client-address.ts';
import { StreamReader, streamPath } from '../src/api/testing/event-stream.ts';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { apiClient } from './support/api.ts';
import { endPages, sharedBrowser } from './support/browser.ts';
import { desktop, signIn } from './support/dashboard.ts';
import { eventually } from './support/eventually.ts';
import { type FakeOpenAi, startFakeOpenAi } from './support/fake-openai.ts';
import { certificateIn, type Front, startNginx } from './support/nginx.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { stablePort } from './support/stable-port.ts';
import { openWatched } from './support/watched-page.ts';

/**
 * Gateway, API and dashboard on one port, below a path of their own: as clients meet them behind a proxy that passes all on. `npm run soak --
 * package` runs the same with an installed package behind nginx with TLS.
 */
const installed = process.env['GATELOG_TEST_PROGRAM'];
const certificates = process.env['GATELOG_TEST_CERTIFICATES'];
const basePath = '/tools/gatelog';
const dataDir = makeDataDir();
let provider: FakeOpenAi;
let service: Service;
let front: Front | undefined;
let api: ReturnType<typeof apiClient>;
const withKey = { authorization: `Bearer ${testKey}` };

beforeAll(async () => {
  provider = await startFakeOpenAi();
  const port = await stablePort();
  front = certificates === undefined ? undefined : await startNginx({ port, basePath, certificate: certificateIn(certificates) });
  service = await startService({
    dataDir,
    ...(installed === undefined ? {} : { program: installed }),
    environment: {
      GATELOG_GATEWAY_PORT: '',
      GATELOG_API_PORT: '',
      GATELOG_PORT: String(port),
      GATELOG_BASE_PATH: basePath,
      ...(front === undefined ? {} : { GATELOG_PUBLIC_URL: `${front.origin}${basePath}` }),
      GATELOG_TRUSTED_PROXIES: '127.0.0.1',
      GATELOG_AUTH_FAILURES_PER_MINUTE: '1',
      GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
      GATELOG_PROVIDER_OPENAI_KEY: 'sk-provider',
      GATELOG_GATEWAY_WORKERS: '2',
      GATELOG_INGEST_INTERVAL_MS: '20',
    },
  });
  api = apiClient(service.api);
});

afterAll(async () => {
  await endPages();
  await service?.stop();
  await front?.stop();
  await provider.close();
  removeDataDir(dataDir);
});

const body = (text: string, stream = false): string =>
  JSON.stringify({ model: 'echo/demo', stream, messages: [{ role: 'user', content: text }] });

async function call(text: string, stream = false): Promise<Response> {
  const headers = { ...withKey, 'content-type': 'application/json' };
  return fetch(`${service.gateway}/v1/chat/completions`, { method: 'POST', headers, body: body(text, stream) });
}

it('the start names the gateway below the API, and nothing else listens for others', async () => {
  const beside = front === undefined ? 200 : 404;
  const { origin } = new URL(service.api);
  expect(service.api).toBe(`${front?.origin ?? origin}${basePath}`);
  expect(service.gateway).toBe(`${service.api}/gateway`);
  const statuses = await Promise.all(
    [`${service.gateway}/readyz`, `${service.api}/readyz`, `${origin}/readyz`, `${origin}/gateway/readyz`].map(
      async (url) => (await fetch(url)).status,
    ),
  );
  expect(statuses).toEqual([200, 200, beside, 404]);
});

it('a stream of the gateway is recorded, its signed address leads to its bodies, and no browser runs either', async () => {
  const response = await call('Hello', true);
  expect(response.headers.get('content-security-policy')).toBe('sandbox');
  expect(await response.text()).toContain('data: [DONE]');
  const stored = await api.stored(response.headers.get('svc-id') ?? '');
  expect(stored.signed_body_url).toMatch(new RegExp(`^${service.api}/v1/request/`));
  const bodies = await fetch(stored.signed_body_url ?? '');
  expect([bodies.status, bodies.headers.get('content-security-policy'), await bodies.text()]).toEqual([
    200,
    'sandbox',
    expect.stringContaining('Hello'),
  ]);
});

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', model: 'gpt-4o', choices: [{ index: 0, delta: { content } }] })}\n\n`;

it('a stream arrives piece by piece, read by a client of OpenAI', async () => {
  const client = new EventEmitter();
  provider.behave((_call, answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('first'));
    client.once('has the first', () => answer.end(`${chunk(' second')}data: [DONE]\n\n`));
  });
  const openAi = new OpenAI({ baseURL: `${service.gateway}/v1`, apiKey: testKey, maxRetries: 0 });
  const stream = await openAi.chat.completions.create({
    model: 'gpt-4o',
    stream: true,
    messages: [{ role: 'user', content: 'In pieces' }],
  });
  const pieces: unknown[] = [];
  for await (const { choices } of stream) {
    pieces.push(choices[0]?.delta.content);
    // The second is sent once the first has arrived: what waits for the whole answer would wait for ever.
    client.emit('has the first');
  }
  expect(pieces).toEqual(['first', ' second']);
});

it('spans of OpenTelemetry arrive by the exporter of its SDK', async () => {
  const exporter = new OTLPTraceExporter({ url: `${service.gateway}/v1/otlp/v1/traces`, headers: withKey });
  const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'gpt-4o-of-a-span' };
  tracing.getTracer('test').startSpan('chat gpt-4o', { attributes }).end();
  await tracing.shutdown();
  const found = await eventually('the span to be a request', async () => {
    const items = await api.query({ request_response_rmt: { model: { equals: 'gpt-4o-of-a-span' } } });
    return items.length > 0 ? items : undefined;
  });
  expect(found.map(({ request_model: model }) => model)).toEqual(['gpt-4o-of-a-span']);
});

it('large bodies pass, to a provider and into an import', async () => {
  const size = 100 * 1024 * 1024;
  let arrived = 0;
  provider.behave(({ body: sent }, answer) => {
    arrived = sent.length;
    answer.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"file-1"}');
  });
  const headers = { ...withKey, 'content-type': 'application/octet-stream' };
  const upload = await fetch(`${service.gateway}/v1/files`, { method: 'POST', headers, body: Buffer.alloc(size) });
  expect([upload.status, arrived]).toEqual([200, size]);

  const item = await api.stored((await call('imported')).headers.get('svc-id') ?? '');
  const { body: found } = await api.call<RequestItem>('GET', `/v1/request/${item.request_id}`);
  const text = 'x'.repeat(1024 * 1024);
  const lines = Array.from({ length: 24 }, () => JSON.stringify({ ...found.data, request_id: randomUUID(), request_body: { text } }));
  const imported = await fetch(`${service.api}/v1/import`, {
    method: 'POST',
    headers: { ...withKey, 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  expect([imported.status, await imported.text()]).toEqual([200, expect.stringContaining('24')]);
});

it('a live stream names a call at once, and ends with its client', async () => {
  const stop = new AbortController();
  const response = await fetch(service.api + streamPath(), { headers: withKey, signal: stop.signal });
  const reader = new StreamReader(response);
  const id = (await call('live')).headers.get('svc-id');
  expect(await reader.until(() => reader.requests.some(({ item }) => item.request_id === id))).toBe(true);
  stop.abort();
});

it('the tools for models answer', async () => {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.api}/mcp`), { requestInit: { headers: withKey } }));
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(0);
  await client.close();
});

it('the document and the pages lead to the base path', async () => {
  const document = (await (await fetch(`${service.api}/openapi.json`)).json()) as { readonly servers: readonly { readonly url: string }[] };
  expect(document.servers.map(({ url }) => url)).toEqual([basePath]);
  const about = (await (await fetch(`${service.api}/about`)).json()) as { readonly addresses: object };
  expect(about.addresses).toEqual({ api: service.api, gateway: service.gateway });
  expect((await fetch(`${service.api}/docs/guides`)).status).toBe(200);
});

it('the dashboard signs in, opens a page by its address and shows a request', async () => {
  const id = (await call('shown in the dashboard')).headers.get('svc-id') ?? '';
  await api.stored(id);
  const watched = await openWatched(await sharedBrowser(), `${service.api}/requests?request=${id}`, desktop);
  await signIn(watched.page);
  await watched.page.getByText('shown in the dashboard').first().waitFor();
  expect(new URL(watched.page.url()).pathname).toBe(`${basePath}/requests`);
  await watched.page.getByRole('link', { name: 'Sessions' }).first().click();
  await watched.page.waitForURL(`${service.api}/sessions**`);
  await watched.page.reload();
  await watched.page.getByRole('link', { name: 'Sessions' }).first().waitFor();
  const cookies = await watched.page.context().cookies();
  expect(cookies.map(({ path, httpOnly }) => [path, httpOnly])).toEqual([[basePath, true]]);
  const outside = watched.requests.map((request) => new URL(request.url()).pathname).filter((path) => !path.startsWith(basePath));
  expect([outside, watched.complaints]).toEqual([[], []]);
});

const attempt = async (url: string, headers: Record<string, string>): Promise<number> =>
  (await fetch(url, { method: 'POST', headers: { ...headers, authorization: 'Bearer sk-svc-us-nobodynobodynobodynobody' }, body: '{}' }))
    .status;

const failAt = (headers: Record<string, string>): Promise<number> => attempt(`${service.api}/v1/request/query-clickhouse`, headers);

describe('failed keys', () => {
  const sources =
    certificates === undefined ? 'the address that a trusted proxy names, and no other word of the client' : 'the address that nginx sees';

  it(`count by ${sources}`, async () => {
    const first = { 'x-forwarded-for': '192.0.2.1' };
    expect([401, 429]).toContain(await failAt(first));
    const again = [{}, { [clientAddressHeader]: '192.0.2.9' }].map((more) =>
      failAt({ ...more, 'x-forwarded-for': '198.51.100.1, 192.0.2.1' }),
    );
    expect(await Promise.all(again)).toEqual([429, 429]);
    // nginx replaces what the client says of itself, so this is the same client there.
    expect(await failAt({ 'x-forwarded-for': '192.0.2.2' })).toBe(certificates === undefined ? 401 : 429);
  });

  it('at the gateway too, in each worker', async () => {
    const atGateway = `${service.gateway}/v1/chat/completions`;
    await eventually('a worker to have refused two of the same address', async () =>
      (await attempt(atGateway, { 'x-forwarded-for': '192.0.2.3' })) === 429 ? true : undefined,
    );
    expect((await call('a good key')).status).toBe(200);
  });
});

it('while the core is away the API says so, and the gateway takes calls', async () => {
  const [core = 0] = childrenNamed(service.pid, 'core');
  process.kill(core, 'SIGKILL');
  await eventually('the API to be away', async () => {
    const response = await fetch(`${service.api}/v1/api-keys`, { headers: withKey });
    const answer = (await response.json()) as { readonly code?: string };
    return answer.code === 'api_unavailable' ? true : undefined;
  });
  const id = (await call('without the core')).headers.get('svc-id') ?? '';
  await eventually('the core to be back', async () => ((await fetch(`${service.api}/readyz`)).status === 200 ? true : undefined), 60_000);
  expect((await api.stored(id)).request_id).toBe(id);
});
