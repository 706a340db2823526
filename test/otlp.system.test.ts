import { spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { encodedRequest } from '../src/otlp/testing/encode.ts';
import { requestOf, spanIdOf, type WrittenSpan } from '../src/otlp/testing/spans.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { type FakeOpenAi, startFakeOpenAi } from './support/fake-openai.ts';
import { makeDataDir, program, removeDataDir, type Service, serviceEnvironment, startService, testKey } from './support/process-tree.ts';

const dataDir = makeDataDir();
let service: Service;
let api: ApiClient;
let provider: FakeOpenAi;

beforeAll(async () => {
  provider = await startFakeOpenAi();
  service = await startService({ dataDir, environment: { GATELOG_GATEWAY_WORKERS: '2', GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl } });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

let traces = 0;

/** A trace of its own. */
function newTrace(): string {
  traces += 1;
  return traces.toString(16).padStart(32, 'a');
}

const startMs = Date.now() - 60_000;

const chat = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.response.model': 'gpt-4o-2024-08-06',
  'gen_ai.usage.input_tokens': 1000,
  'gen_ai.usage.output_tokens': 200,
  'gen_ai.usage.cache_read.input_tokens': 400,
  'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'Why is the sky blue?' }] }],
  'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: 'Because.' }] }],
};

function span(traceId: string, id: number, rest: WrittenSpan): WrittenSpan {
  return { traceId, spanId: spanIdOf(id), startMs, endMs: startMs + 1500, ...rest };
}

function send(
  spans: readonly WrittenSpan[],
  {
    base = service.gateway,
    path = '/v1/otlp/v1/traces',
    headers = {},
  }: { base?: string; path?: string; headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  return fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}`, ...headers },
    body: JSON.stringify(requestOf(spans)),
  });
}

async function trySend(
  base: string,
  contentType: string,
  body: string | Buffer<ArrayBuffer>,
  rest: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const headers = { 'content-type': contentType, authorization: `Bearer ${testKey}`, ...rest };
  const response = await fetch(`${base}/v1/otlp/v1/traces`, { method: 'POST', headers, body });
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
  return [response.status, response.headers.get('content-type'), text];
}

async function requestsOf(traceId: string, count: number): Promise<readonly RequestItem[]> {
  return eventually(`${count} requests of ${traceId}`, async () => {
    const found = await api.query({ request_response_rmt: { job_id: { equals: traceId } } });
    return found.length === count ? found : undefined;
  });
}

describe.each(['gateway', 'api'] as const)('the listener of the %s', (listener) => {
  it.each(['/v1/otlp/v1/traces', '/v1/trace/log', '/v1/trace/log-python'])('takes spans at %s', async (path) => {
    const trace = newTrace();
    const response = await send([span(trace, 1, { attributes: chat })], { base: service[listener], path });
    expect([response.status, await response.json()]).toEqual([200, {}]);
    const [item] = await requestsOf(trace, 1);
    expect(item).toMatchObject({
      provider: 'OPENAI',
      request_model: 'gpt-4o',
      model: 'gpt-4o-2024-08-06',
      response_status: 200,
      prompt_tokens: 1000,
      completion_tokens: 200,
      prompt_cache_read_tokens: 400,
      delay_ms: 1500,
      session_id: trace,
      request_created_at: new Date(startMs).toISOString(),
    });
  });

  it.each([
    ['Svc-Auth', `Bearer ${testKey}`],
    ['Helicone-Auth', `Bearer ${testKey}`],
    ['x-api-key', testKey],
  ])('takes the key in %s', async (name, value) => {
    const response = await fetch(`${service[listener]}/v1/otlp/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [name]: value },
      body: '{}',
    });
    expect(response.status).toBe(200);
  });

  it('takes nothing without a good key', async () => {
    const none = await fetch(`${service[listener]}/v1/otlp/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(none.status).toBe(401);
    expect((await send([], { base: service[listener], headers: { authorization: 'Bearer sk-svc-us-nobodysnobodysnobodys' } })).status).toBe(
      401,
    );
  });

  it('says what is wrong with a request, in the encoding that it has', async () => {
    expect(await trySend(service[listener], 'application/json', '{')).toEqual([
      400,
      'application/json',
      expect.stringContaining('"message":"The body is no JSON object'),
    ]);
    expect(await trySend(service[listener], 'application/x-protobuf', Buffer.from('nonsense'))).toEqual([
      400,
      'application/x-protobuf',
      expect.stringContaining('The body is no ExportTraceServiceRequest'),
    ]);
    expect(await trySend(service[listener], 'text/plain', '{}')).toEqual([
      415,
      'application/json',
      expect.stringContaining('application/x-protobuf'),
    ]);
    expect(await trySend(service[listener], 'application/json', '{}', { 'content-encoding': 'br' })).toEqual([
      415,
      'application/json',
      expect.stringContaining('gzip'),
    ]);
    expect(await trySend(service[listener], 'application/json', '{}', { 'content-encoding': 'gzip' })).toEqual([
      400,
      'application/json',
      expect.stringContaining('no gzip'),
    ]);
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(100_000);
    expect(await trySend(service[listener], 'application/json', bomb, { 'content-encoding': 'gzip' })).toEqual([
      413,
      'application/json',
      expect.stringContaining('GATELOG_OTLP_MAX_BYTES'),
    ]);
  });

  it('rejects single spans with their reasons, and takes the others', async () => {
    const trace = newTrace();
    const response = await send([span(trace, 1, { attributes: chat }), span('0'.repeat(32), 2, {})], { base: service[listener] });
    expect(await response.json()).toEqual({
      partialSuccess: { rejectedSpans: '1', errorMessage: 'Not recorded: 1 × trace_id is not 16 bytes, or all zeros.' },
    });
    await requestsOf(trace, 1);
  });
});

it('what is sent twice is there once, whichever listener takes it', async () => {
  const trace = newTrace();
  const spans = [1, 2, 3].map((id) => span(trace, id, { attributes: chat }));
  await send(spans);
  await send(spans);
  const found = await requestsOf(trace, 3);
  await send(spans, { base: service.api });
  await send([span(trace, 4, { attributes: chat })]);
  const after = await requestsOf(trace, 4);
  expect(new Set(after.map(({ request_id }) => request_id))).toEqual(
    new Set([...found.map(({ request_id }) => request_id), after.find(({ node_id }) => node_id === spanIdOf(4))?.request_id]),
  );
});

it('costs what the same call through the gateway costs', async () => {
  const trace = newTrace();
  await send([span(trace, 1, { attributes: chat })]);
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'svc-auth': `Bearer ${testKey}`, authorization: 'Bearer sk-provider' },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Why is the sky blue?' }] }),
  });
  const passed = await api.stored(String(response.headers.get('svc-id')));
  const [told] = await requestsOf(trace, 1);
  expect(passed.cost).toBeGreaterThan(0);
  expect([told?.cost, told?.cost_source]).toEqual([passed.cost, 'price-book']);
});

it('headers of the request hold for its spans', async () => {
  const trace = newTrace();
  await send([span(trace, 1, { attributes: chat })], {
    headers: { 'Svc-Property-Team': 'search', 'Helicone-User-Id': 'ada', 'Svc-Session-Id': 'of the header', 'Svc-Omit-Request': 'true' },
  });
  const [item] = await requestsOf(trace, 1);
  expect(item).toMatchObject({ request_user_id: 'ada', session_id: 'of the header', prompt_tokens: 1000, request_body: null });
  expect(item?.properties).toMatchObject({ Team: 'search' });
});

describe('an agent whose spans come as they end', () => {
  const trace = newTrace();
  const agent = span(trace, 1, {
    name: 'invoke_agent Weather',
    kind: 1,
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'session.id': 'a conversation' },
  });
  const tool = span(trace, 3, {
    name: 'execute_tool get_weather',
    kind: 1,
    parentSpanId: spanIdOf(1),
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'get_weather',
      'gen_ai.tool.call.arguments': '{"city":"Oslo"}',
      'gen_ai.tool.call.result': 'rain',
    },
  });

  it('is a session with a tree once the outer span has come', async () => {
    // Each in a request of its own, so that different workers may take them.
    await send([span(trace, 2, { name: 'chat gpt-4o', parentSpanId: spanIdOf(1), attributes: chat })]);
    await send([tool]);
    await requestsOf(trace, 2);
    await send([agent]);
    const wanted = ['/invoke_agent Weather', '/invoke_agent Weather/chat gpt-4o', '/invoke_agent Weather/execute_tool get_weather'];
    // The session is there before each of its requests has its path.
    const session = await eventually('the session to be whole', async () => {
      const { body } = await api.call<SessionAnswer>('GET', `/v1/session/${encodeURIComponent('a conversation')}`);
      const paths = new Set(pathsOf(body.data?.tree ?? []));
      return body.data?.requests.length === 2 && wanted.every((path) => paths.has(path)) ? body.data : undefined;
    });
    const item = session.requests.find(({ model }) => model === 'tool:get_weather');
    expect(item).toMatchObject({ provider: 'CUSTOM', job_id: trace, node_id: spanIdOf(3) });
  });
});

interface TreeNode {
  readonly path: string;
  readonly children: readonly TreeNode[];
}

interface SessionAnswer {
  readonly requests: readonly RequestItem[];
  readonly tree: readonly TreeNode[];
}

function pathsOf(tree: readonly TreeNode[]): readonly string[] {
  return tree.flatMap(({ path, children }) => [path, ...pathsOf(children)]);
}

describe('hostile spans', () => {
  it('of rings, without their parents, and with numbers that are none become requests all the same', async () => {
    const trace = newTrace();
    const huge = { 'gen_ai.usage.input_tokens': 2 ** 62, 'gen_ai.usage.output_tokens': -1, 'gen_ai.request.temperature': 1e300 };
    const response = await send([
      span(trace, 1, { parentSpanId: spanIdOf(2), name: 'one', attributes: chat }),
      span(trace, 2, { parentSpanId: spanIdOf(1), name: 'two' }),
      span(trace, 3, { parentSpanId: spanIdOf(99), name: 'orphan', attributes: { ...chat, ...huge } }),
      span(trace, 4, { parentSpanId: spanIdOf(4), name: 'itself', attributes: chat }),
    ]);
    expect([response.status, await response.json()]).toEqual([200, {}]);
    const found = await requestsOf(trace, 3);
    expect(
      found
        .map(({ node_id, session_path }) => [node_id, session_path])
        .toSorted(([one], [other]) => String(one).localeCompare(String(other))),
    ).toEqual([
      [spanIdOf(1), '/two/one'],
      [spanIdOf(3), '/orphan'],
      [spanIdOf(4), '/itself'],
    ]);
    expect(found.find(({ node_id }) => node_id === spanIdOf(3))).toMatchObject({ usage_estimated: true });
  });

  it('of 1970 and of the year 2500 are rejected with their reasons, in protobuf and gzip as well', async () => {
    const trace = newTrace();
    const [past, future] = [Date.UTC(1970, 0, 2), Date.UTC(2500, 0, 1)];
    const spans = [
      span(trace, 1, { attributes: chat }),
      span(trace, 2, { startMs: past, endMs: past }),
      span(trace, 3, { startMs: future, endMs: future }),
    ];
    const body = gzipSync(encodedRequest(requestOf(spans)));
    const answer = await trySend(service.gateway, 'application/x-protobuf', body, { 'content-encoding': 'gzip' });
    expect(answer).toEqual([200, 'application/x-protobuf', expect.stringMatching(/before 2015.*more than a day in the future/)]);
    await requestsOf(trace, 1);
  });
});

it('spans of an agent that come in any order over time make the same tree', async () => {
  const trace = newTrace();
  const line = [
    span(trace, 1, {
      name: 'invoke_agent Weather',
      kind: 1,
      attributes: { 'gen_ai.operation.name': 'invoke_agent', 'session.id': 'any order' },
    }),
    span(trace, 2, { name: 'plan', kind: 1, parentSpanId: spanIdOf(1) }),
    span(trace, 3, { name: 'chat gpt-4o', parentSpanId: spanIdOf(2), attributes: chat }),
  ];
  for (const index of [2, 0, 1]) {
    await send(line.slice(index, index + 1));
    // Longer than a trace is given to settle.
    await wait(2500);
  }
  const item = await eventually('the path to be whole', async () => {
    const [found] = await requestsOf(trace, 1);
    return found?.session_path === '/invoke_agent Weather/plan/chat gpt-4o' ? found : undefined;
  });
  expect(item.session_id).toBe('any order');
});

function printedBy(...args: readonly string[]): string {
  return spawnSync(process.execPath, [program, ...args], { env: serviceEnvironment({ dataDir }), encoding: 'utf8' }).stdout;
}

it('two organisations that send the same span have each their own', async () => {
  printedBy('orgs', 'create', 'theirs');
  const theirKey = /sk-svc-us-\w+/.exec(printedBy('keys', 'create', '--org', 'theirs'))?.[0] ?? '';
  const trace = newTrace();
  const own = span(trace, 1, { attributes: { ...chat, 'session.id': 'ours' } });
  await send([own]);
  const theirs = span(trace, 1, { attributes: { ...chat, 'session.id': 'theirs' } });
  await eventually('their key to be known', async () => {
    const { status } = await send([theirs], { headers: { authorization: `Bearer ${theirKey}` } });
    return status === 200 ? true : undefined;
  });
  expect((await requestsOf(trace, 1)).map(({ session_id }) => session_id)).toEqual(['ours']);
  const found = await eventually('theirs', async () => {
    const items = await apiClient(service.api, theirKey).query({ request_response_rmt: { job_id: { equals: trace } } });
    return items.length > 0 ? items : undefined;
  });
  expect(found.map(({ session_id }) => session_id)).toEqual(['theirs']);
});
