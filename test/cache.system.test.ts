import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { call as rawRequest, type RawResponse, requestText } from '../src/gateway/testing/raw-http.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { answerChat, completion, type FakeOpenAi, startFakeOpenAi, usage } from './support/fake-openai.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

let service: Service;
let provider: FakeOpenAi;
let api: ApiClient;
const dataDir = makeDataDir();

beforeAll(async () => {
  provider = await startFakeOpenAi();
  service = await startService({
    dataDir,
    environment: {
      GATELOG_GATEWAY_WORKERS: '2',
      GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
      GATELOG_PROVIDER_OPENAI_KEY: 'deployment-openai',
      GATELOG_INGEST_BURST_MS: '0',
    },
  });
  api = apiClient(service.api);
});

beforeEach(() => {
  provider.seen.length = 0;
  provider.behave(answerChat);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

interface Answer {
  readonly status: number;
  readonly cache: string | null;
  readonly id: string;
  readonly text: string;
  readonly headers: Headers;
}

/** A cached call; each test has its own seed. */
async function call(seed: string, headers: Readonly<Record<string, string>> = {}, more: object = {}): Promise<Answer> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${testKey}`,
      'content-type': 'application/json',
      'svc-cache-enabled': 'true',
      'svc-cache-seed': seed,
      ...headers,
    },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }], ...more }),
  });
  const text = await response.text();
  const { status } = response;
  return { status, cache: response.headers.get('svc-cache'), id: response.headers.get('svc-id') ?? '', text, headers: response.headers };
}

/** The same call over its own connection. Rejects when the connection breaks. */
function rawCall(seed: string): Promise<RawResponse> {
  const lines = [`Authorization: Bearer ${testKey}`, 'Svc-Cache-Enabled: true', `Svc-Cache-Seed: ${seed}`];
  return rawRequest(Number(new URL(service.gateway).port), requestText('POST /v1/chat/completions', lines, '{"model":"gpt-4o"}'));
}

const countOf = (answers: readonly Answer[], cache: string): number => answers.filter((answer) => answer.cache === cache).length;
const whole = (response: ServerResponse): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion));

/** The process that holds the near end of a connection to this machine. */
function ownerOfPort(pids: readonly number[], port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  // A closed connection with this port may still be listed; it belongs to no process.
  const socket = sockets.find(([, local, , state]) => state === establishedState && local?.endsWith(suffix) === true);
  const link = `socket:[${socket?.[9] ?? ''}]`;
  const owner = pids.find((pid) => readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === link));
  if (owner === undefined) throw new Error(`no process holds ${link}`);
  return owner;
}

/** As in `/proc/net/tcp`. */
const establishedState = '01';

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    // It was closed meanwhile.
    return '';
  }
}

describe('two workers', () => {
  it('send 100 equal concurrent calls to the provider once', async () => {
    // Slow enough that all calls are there before it answers; a later one gets the same response.
    provider.behave((_call, response) => setTimeout(whole, 300, response));
    const all = await Promise.all(Array.from({ length: 100 }, () => call('parallel')));
    expect(provider.seen).toHaveLength(1);
    expect([countOf(all, 'MISS'), countOf(all, 'HIT')]).toEqual([1, 99]);
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set([`200 ${JSON.stringify(completion)}`]));
    const { id } = all.find(({ cache }) => cache === 'MISS') ?? { id: '' };
    const hits = await eventually('all hits to be stored', async () => {
      const items = await api.query({ request_response_rmt: { cache_reference_id: { equals: id } } }, { limit: 1000 });
      return items.length === 99 ? items : undefined;
    });
    expect(new Set(hits.map(({ cost }) => cost))).toEqual(new Set([0]));
  });

  it('call the provider once more when the one with the call in flight is killed', async () => {
    const ports: number[] = [];
    provider.behave((_call, _response, request) => ports.push(request.socket.remotePort ?? 0));
    const cut = rawCall('killed').catch(() => 'cut' as const);
    const [port] = await eventually('the call to reach the provider', () => (ports.length > 0 ? ports : undefined));
    const leading = ownerOfPort(childrenNamed(service.pid, 'gateway'), port ?? 0);
    // A stopped worker accepts no connections: all other calls reach the other worker and wait there for a call that does not proceed.
    process.kill(leading, 'SIGSTOP');
    provider.behave((_call, response) => whole(response));
    const calls = Array.from({ length: 30 }, () => rawCall('killed'));
    process.kill(leading, 'SIGKILL');
    const answers = await Promise.all(calls);
    expect(await cut).toBe('cut');
    expect(provider.seen).toHaveLength(2);
    const told = (word: string): number => answers.filter(({ header }) => header('svc-cache') === word).length;
    expect([told('MISS'), told('HIT')]).toEqual([1, 29]);
  });
});

describe('the record', () => {
  it('shows a miss and a hit through the API', async () => {
    const miss = await call('record', { 'svc-property-run': 'record' });
    const hit = await call('record', { 'svc-property-run': 'record', 'svc-cost': '3' });
    expect([miss.cache, hit.cache, hit.headers.get('svc-cache-bucket-idx')]).toEqual(['MISS', 'HIT', '0']);
    const original = await api.stored(miss.id);
    expect(original).toMatchObject({ cache_enabled: true, cached: false, cache_reference_id: null, cost_source: 'price-book' });
    expect(original.cost).toBeGreaterThan(0);
    expect(await api.stored(hit.id)).toMatchObject({
      cache_enabled: true,
      cached: true,
      cache_reference_id: miss.id,
      response_status: 200,
      response_body: completion,
      prompt_tokens: usage.prompt_tokens,
      completion_tokens: usage.completion_tokens,
      cost: 0,
      costUSD: 0,
      cost_source: 'none',
    });
    const run = { request_response_rmt: { properties: { run: { equals: 'record' } } } };
    const ids = async (rest: object): Promise<string[]> =>
      (await api.query(run, { ...rest })).map(({ request_id: requestId }) => requestId);
    expect(await ids({ isCached: true })).toEqual([hit.id]);
    expect(await ids({ sort: { cache_created_at: 'asc' } })).toEqual([hit.id, miss.id]);
    expect(await ids({ sort: { is_cached: 'asc' } })).toEqual([miss.id, hit.id]);
    const cachedLeaf = { left: run, operator: 'and', right: { request_response_rmt: { cached: { equals: true } } } };
    expect((await api.query(cachedLeaf)).map(({ request_id: requestId }) => requestId)).toEqual([hit.id]);
  });

  it('has the assembled body of a streamed hit, and the caller gets the same bytes', async () => {
    const miss = await call('stream', {}, { stream: true });
    const hit = await call('stream', {}, { stream: true });
    expect([hit.cache, hit.text, hit.headers.get('content-type')]).toEqual(['HIT', miss.text, 'text/event-stream; charset=utf-8']);
    const [first, second] = [await api.stored(miss.id), await api.stored(hit.id)];
    expect(second).toMatchObject({ response_body: first.response_body, cached: true, total_tokens: usage.total_tokens, cost: 0 });
  });

  it('is the same for calls with Helicone’s header names', async () => {
    const headers = { 'helicone-cache-enabled': 'true', 'helicone-cache-bucket-max-size': '2' };
    const answers = [await call('alias', headers), await call('alias', headers), await call('alias', headers)];
    expect(answers.map((answer) => answer.headers.get('helicone-cache'))).toEqual(['MISS', 'MISS', 'HIT']);
    expect(answers[2]?.headers.get('helicone-cache-bucket-idx')).toMatch(/^[01]$/);
  });
});

it('cached responses survive a restart', async () => {
  await call('restart');
  await service.stop();
  service = await startService({
    dataDir,
    environment: { GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl, GATELOG_PROVIDER_OPENAI_KEY: 'k' },
  });
  expect([(await call('restart')).cache, provider.seen.length]).toEqual(['HIT', 1]);
});
