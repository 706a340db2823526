import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { endpoints } from '../api/endpoints.ts';
import { openEndpoints } from '../api/open-endpoints.ts';
import { besideSpans, logPaths, spanPaths } from '../model/vocabulary/log-paths.ts';
import { calls } from './testing/calls.ts';
import { ApiError, type ClientOptions, createClient, type GatelogClient, where } from './client.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const servers: ReturnType<typeof createServer>[] = [];

async function serving(handle: Handle): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  vi.unstubAllGlobals();
});

interface Sent {
  readonly address: string;
  readonly init: RequestInit;
}

/** A client whose calls are kept and answered with an empty list. */
function noting(options: ClientOptions = {}): { readonly client: GatelogClient; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const client = createClient({
    apiUrl: 'http://gatelog.test',
    apiKey: 'sk-svc-us-key',
    fetch: (address, init) => {
      sent.push({ address, init });
      return Promise.resolve(Response.json({ data: [], error: null, status: 'ok' }));
    },
    ...options,
  });
  return { client, sent };
}

test('JSON of requests is read by what the caller gives, which may keep more digits than JavaScript', async () => {
  const apiUrl = await serving((request, response) => {
    const isStream = request.url?.includes('stream') === true;
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    if (isStream) response.end('id: 1\nevent: request\ndata: {"order":9007199254740993}\n\n');
    else if (request.url === '/v1/export') response.end('{"order":9007199254740993}\n');
    else response.end('{"data":{"order":9007199254740993},"error":null}');
  });
  const read: string[] = [];
  const readJson = (text: string, endpoint: string): unknown => {
    read.push(`${endpoint} ${/\d{16}/.exec(text)?.[0]}`);
    return JSON.parse(text);
  };
  const client = createClient({ apiUrl, apiKey: 'sk-svc-us-key', readJson });
  await client.requests.get('0193b3a4-0000-7000-8000-000000000001');
  for await (const row of client.exports.rows({ columns: ['cursor'] })) expect(row).toBeDefined();
  const stop = new AbortController();
  for await (const { request } of client.requests.follow({}, { signal: stop.signal })) {
    expect(request).toBeDefined();
    stop.abort();
    break;
  }
  expect(read).toEqual(
    ['GET /v1/request/{id}', 'POST /v1/export', 'GET /v1/request/stream'].map((endpoint) => `${endpoint} 9007199254740993`),
  );
});

const declared = [...endpoints, ...openEndpoints].map(({ declaration: { method, path } }) => `${method.toUpperCase()} ${path}`);
const ownMetrics = new Set(['POST /v1/metrics/query', 'POST /v1/metrics/batch']);
const isNamedMetric = (endpoint: string): boolean => endpoint.startsWith('POST /v1/metrics/') && !ownMetrics.has(endpoint);

/** What a browser takes by its address alone. */
const files: ReadonlySet<string> = new Set(['GET /v1/export', 'GET /v1/audit/export']);

const loggersSend = (endpoint: string): boolean =>
  [...spanPaths, ...Object.keys(besideSpans), ...logPaths.keys()].some((path) => endpoint === `POST ${path}`);

describe('every endpoint', () => {
  test('has a method; an export by its address alone has one, and each metric of older clients; loggers send spans and logs; browsers take files', () => {
    const others = declared.filter((endpoint) => !isNamedMetric(endpoint) && !files.has(endpoint) && !loggersSend(endpoint));
    expect(Object.keys(calls).toSorted()).toEqual(others.toSorted());
  });

  test.each(Object.entries(calls))('%s', async (endpoint, call) => {
    const { client, sent } = noting();
    await call(client);
    const [method, path = ''] = endpoint.split(' ');
    const address = path
      .replace('{id}', 'a%20b')
      .replace('{name}', 'a%2Fb')
      .replace(/\{\w+Id\}/, 'x%3F');
    expect(sent.map(({ address: at, init }) => [init.method, at.replace(/\?.*/, '')])).toEqual([[method, `http://gatelog.test${address}`]]);
  });

  test.each(declared.filter(isNamedMetric))('%s', async (endpoint) => {
    const { client, sent } = noting();
    await client.metrics.byName(endpoint.slice('POST /v1/metrics/'.length) as 'totalCost', { filter: 'all' });
    expect(sent[0]?.address).toBe(`http://gatelog.test${endpoint.slice(5)}`);
  });

  test('an export by its address carries the query', () => {
    const { client } = noting();
    const address = client.exports.address({ filter: where('model', 'equals', 'a b'), columns: ['model', 'properties.A&B'], bom: true });
    expect(Object.fromEntries(new URL(address).searchParams)).toEqual({
      filter: '{"request_response_rmt":{"model":{"equals":"a b"}}}',
      columns: 'model,properties.A&B',
      bom: 'true',
    });
  });
});

async function headersOf(options: ClientOptions): Promise<Headers> {
  const { client, sent } = noting(options);
  await client.limits.replace([]);
  return new Headers(sent[0]?.init.headers);
}

describe('options', () => {
  test('the key, headers of one’s own and strictness are on every call', async () => {
    const headers = await headersOf({ strict: true, headers: { traceparent: '00-1-2-01' } });
    expect(Object.fromEntries(headers)).toEqual({
      authorization: 'Bearer sk-svc-us-key',
      'content-type': 'application/json',
      'svc-strict': 'true',
      traceparent: '00-1-2-01',
    });
  });

  test('without a key a cookie may stand for it, so calls that change something say that a page of ours sent them', async () => {
    expect(Object.fromEntries(await headersOf({ apiKey: null }))).toEqual({ 'content-type': 'application/json', 'svc-csrf': '1' });
    const { client, sent } = noting({ apiKey: null });
    await client.limits.get();
    expect(Object.fromEntries(new Headers(sent[0]?.init.headers))).toEqual({});
  });

  test('in Node address and key come from the environment where none is given', async () => {
    vi.stubEnv('GATELOG_API_URL', 'http://from.test/base/');
    vi.stubEnv('GATELOG_API_KEY', 'sk-from-environment');
    const { client, sent } = noting({ apiUrl: undefined, apiKey: undefined });
    await client.limits.get();
    expect(sent[0]?.address).toBe('http://from.test/base/v1/rate-limits');
    expect(new Headers(sent[0]?.init.headers).get('authorization')).toBe('Bearer sk-from-environment');
    vi.stubEnv('GATELOG_API_URL', '');
    const standard = noting({ apiUrl: undefined });
    await standard.client.limits.get();
    expect(standard.sent[0]?.address).toBe('http://127.0.0.1:8788/v1/rate-limits');
  });

  test('outside of Node the page’s own origin is called', async () => {
    vi.stubGlobal('process', undefined);
    const { client, sent } = noting({ apiUrl: undefined, apiKey: undefined });
    await client.limits.get();
    expect([sent[0]?.address, new Headers(sent[0]?.init.headers).get('authorization')]).toEqual(['/v1/rate-limits', null]);
  });

  test.each([
    [{ apiUrl: 'gatelog.example.com' }, '"gatelog.example.com" is not the address of an API'],
    [{ apiUrl: 'https://me:secret@gatelog.example.com' }, 'without a user'],
    [{ apiUrl: 'ftp://gatelog.example.com' }, 'is not the address of an API'],
    [{ apiKey: 'sk svc' }, 'The key is none: it holds spaces'],
  ])('refuses %j', (options, sentence) => {
    expect(() => createClient(options)).toThrow(sentence);
  });
});

const answering =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Handle =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

async function failureOf(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

async function allOf<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function ask(apiUrl: string, options: ClientOptions = {}): Promise<unknown> {
  return createClient({ apiUrl, apiKey: 'k', retries: 0, ...options }).requests.query({ filter: 'all' });
}

describe('a failure', () => {
  it('has the sentence, code, status, place, warnings and hint of the answer', async () => {
    const problem = {
      data: null,
      error: 'Write it so.',
      code: 'invalid_filter',
      details: { path: 'filter.cost' },
      warnings: ['`limits` is not known.'],
    };
    const error = await failureOf(ask(await serving(answering(422, problem, { 'svc-hint': 'a hint' }))));
    expect(error).toMatchObject({
      name: 'ApiError',
      message: 'Write it so.',
      endpoint: 'POST /v1/request/query-clickhouse',
      code: 'invalid_filter',
      status: 422,
      place: 'filter.cost',
      warnings: ['`limits` is not known.'],
      hint: 'a hint',
      isAway: false,
    });
  });

  it.each([
    ['HTML', 200, '<p>Welcome</p>', ' (status 200)'],
    ['JSON of another kind', 200, { ok: true }, ' (status 200)'],
    ['an error of another kind', 404, { error: { message: 'Not here.' } }, ' (status 404, "Not here.")'],
    ['a redirect, which is not followed with the key', 302, '', ' (status 302)'],
  ])('names what answers when it is another program: %s', async (_, status, body, how) => {
    const apiUrl = await serving(answering(status, body, { location: 'http://127.0.0.1:1/' }));
    expect(await failureOf(ask(apiUrl))).toMatchObject({
      message: `What answers at ${apiUrl} is not the API of Gatelog${how}.`,
      code: 'not_gatelog',
      status,
      isAway: false,
    });
  });

  it('says that nothing answers', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await failureOf(ask(`http://127.0.0.1:${port}`))).toMatchObject({
      message: `No Gatelog answers at http://127.0.0.1:${port} (connect ECONNREFUSED 127.0.0.1:${port}).`,
      code: 'unreachable',
      status: 0,
      isAway: true,
    });
  });

  it('says that the time limit passed, also in the middle of the body', async () => {
    const silent = await serving((_, response) => void response.writeHead(200).write('{"data": ['));
    expect(await failureOf(ask(silent, { timeoutMs: 50 }))).toMatchObject({
      message: `${silent} did not answer within 50 ms.`,
      code: 'timed_out',
      isAway: true,
    });
  });

  it('says that a connection broke in the middle of a body', async () => {
    const broken = await serving((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"data": [', () => response.destroy());
    });
    const brokenOff = { code: 'broken_off', isAway: true };
    expect(await failureOf(ask(broken))).toMatchObject({ ...brokenOff, message: `${broken} broke off its answer (other side closed).` });
    const { exports } = createClient({ apiUrl: broken, apiKey: 'k' });
    expect(await failureOf(allOf((await exports.open()).pieces()))).toMatchObject({
      code: 'broken_off',
      message: expect.stringMatching(/^The service broke off its answer/) as string,
      isAway: true,
    });
  });
});

describe('an aborted call', () => {
  it('rejects with the reason of its signal: before, during the answer, and while it waits for another attempt', async () => {
    const reason = new Error('no longer wanted');
    const calledBy: string[] = [];
    const busy = await serving((request, response) => {
      calledBy.push(request.url ?? '');
      answering(503, { data: null, error: 'Busy.', code: 'service_busy' }, { 'retry-after': '10' })(request, response);
    });
    const client = createClient({ apiUrl: busy, apiKey: 'k' });
    await expect(client.limits.get({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(calledBy).toEqual([]);
    const aborting = new AbortController();
    const waiting = client.limits.get({ signal: aborting.signal });
    await vi.waitFor(() => expect(calledBy).toHaveLength(1));
    aborting.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    const endless = await serving((_, response) => void response.writeHead(200).write('{'));
    const reading = new AbortController();
    const read = createClient({ apiUrl: endless, apiKey: 'k' }).limits.get({ signal: reading.signal });
    setTimeout(() => reading.abort(reason), 30);
    await expect(read).rejects.toBe(reason);
  });
});

describe('while the service says 503', () => {
  it('is asked again after the time that it names, so often as the options say', async () => {
    const times: number[] = [];
    const busy = await serving((request, response) => {
      times.push(performance.now());
      const problem = { data: null, error: 'Busy.', code: 'service_busy' };
      if (times.length < 3) answering(503, problem, { 'retry-after': '1' })(request, response);
      else answering(200, { data: [], error: null })(request, response);
    });
    expect((await createClient({ apiUrl: busy, apiKey: 'k' }).limits.get()).data).toEqual([]);
    expect(times).toHaveLength(3);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950);
    times.length = 0;
    const once = createClient({ apiUrl: busy, apiKey: 'k', retries: 0 });
    expect(await failureOf(once.limits.get())).toMatchObject({ status: 503, isAway: true, retryAfterSeconds: 1, message: 'Busy.' });
    expect(times).toHaveLength(1);
  });

  it('its readiness is an answer', async () => {
    const unready = await serving(answering(503, { status: 'unavailable', failing: ['store'], degraded: [] }));
    const { monitoring } = createClient({ apiUrl: unready, apiKey: null });
    expect(await monitoring.readiness()).toEqual({ status: 'unavailable', failing: ['store'], degraded: [] });
  });
});

describe('lines of an export', () => {
  it('are whole, however their bytes are cut', async () => {
    const lines = [{ request_body: 'Grüße, 世界' }, { request_body: '😀' }].map((row) => JSON.stringify(row));
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    const apiUrl = await serving((_, response) => {
      response.writeHead(200);
      const write = (at: number): void =>
        void (at < bytes.length ? response.write(bytes.subarray(at, at + 1), () => write(at + 1)) : response.end());
      write(0);
    });
    const rows = await allOf(createClient({ apiUrl, apiKey: 'k' }).exports.rows({ columns: ['request_body'] }));
    expect(rows.map((row) => JSON.stringify(row))).toEqual(lines);
  });

  it('end the call when their reader leaves', async () => {
    let left = false;
    const apiUrl = await serving((_, response) => {
      response.once('close', () => {
        left = true;
      });
      response.writeHead(200).write('{"model":"a"}\n');
    });
    for await (const row of createClient({ apiUrl, apiKey: 'k' }).exports.rows({ columns: ['model'] })) {
      expect(row).toEqual({ model: 'a' });
      break;
    }
    await vi.waitFor(() => expect(left).toBe(true));
  });
});
