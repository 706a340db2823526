import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChangeItem } from '../src/contract/requests/changes.ts';
import type { RequestCost } from '../src/contract/requests/cost.ts';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { type FakeOpenAi, startFakeOpenAi } from './support/fake-openai.ts';
import {
  childrenNamed,
  makeDataDir,
  program,
  removeDataDir,
  type Service,
  serviceEnvironment,
  startService,
  testKey,
} from './support/process-tree.ts';

let service: Service;
let api: ApiClient;
let provider: FakeOpenAi;
let forger: FakeOpenAi;
let strangerKey: string;
const dataDir = makeDataDir();

/** OpenAI's answers to a background call and to reads of its response; the first read finds it in progress. */
const inBackground = (): Parameters<FakeOpenAi['behave']>[0] => {
  let reads = 0;
  const common = { id: 'resp_background', object: 'response', background: true, model: 'gpt-4o-mini-2024-07-18', error: null };
  const usage = {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 400 },
    output_tokens: 200,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 1200,
  };
  const output = [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Done.' }] }];
  const begun = Math.floor(Date.now() / 1000);
  return ({ method }, response) => {
    if (method === 'GET') reads += 1;
    const status = method === 'POST' ? 'queued' : reads === 1 ? 'in_progress' : 'completed';
    const told = status === 'completed' ? { output, usage, service_tier: 'default' } : { output: [], usage: null, service_tier: 'auto' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...common, created_at: begun, status, ...told }));
  };
};

beforeAll(async () => {
  provider = await startFakeOpenAi();
  provider.behave(inBackground());
  forger = await startFakeOpenAi();
  const environment = {
    GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
    GATELOG_PROVIDER_GEMINI_URL: new URL(provider.baseUrl).origin,
    GATELOG_PROVIDER_GEMINI_KEY: 'deployment-gemini',
    GATELOG_TARGET_ALLOWLIST: [provider, forger].map(({ baseUrl }) => new URL(baseUrl).host).join(','),
    GATELOG_PROVIDER_OPENAI_KEY: 'deployment-openai',
    GATELOG_INGEST_BURST_MS: '0',
    GATELOG_GATEWAY_WORKERS: '2',
  };
  service = await startService({ dataDir, environment });
  api = apiClient(service.api);
  run('orgs', 'create', 'strangers');
  strangerKey = run('keys', 'create', '--org', 'strangers', '--permissions', 'admin');
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  await forger?.close();
  removeDataDir(dataDir);
});

/** Runs a command beside the service. @returns its output. */
function run(...command: string[]): string {
  return spawnSync(process.execPath, [program, ...command], { env: serviceEnvironment({ dataDir }), encoding: 'utf8' }).stdout.trim();
}

async function send(method: string, path: string, body?: unknown): Promise<Response> {
  const response = await fetch(service.gateway + path, {
    method,
    headers: {
      authorization: `Bearer ${testKey}`,
      'content-type': 'application/json',
      // 100 cents an hour; the estimate of a call is a part of that.
      'svc-ratelimit-policy': '100;w=3600;u=cents',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  return response;
}

const idOf = (response: Response): string => response.headers.get('svc-id') ?? '';
const cost = (600 * 0.15 + 400 * 0.075 + 200 * 0.6) / 1e6;

const usageOf = ({ prompt_tokens, completion_tokens, total_tokens, cost: itemCost }: RequestItem) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens,
  cost: itemCost,
});

describe('a response that is made in the background', () => {
  it('gets usage and cost from the read that brings them, once, even when the core is killed meanwhile', async () => {
    const call = { model: 'gpt-4o-mini', input: 'Say hello.', background: true, max_output_tokens: 16_000 };
    const id = idOf(await send('POST', '/v1/responses', call));
    const early = idOf(await send('GET', '/v1/responses/resp_background'));
    await api.stored(early, 30_000);
    const nothing = { prompt_tokens: null, completion_tokens: null, total_tokens: null, cost: null };
    expect(usageOf(await api.stored(id, 30_000))).toEqual(nothing);

    const [core = 0] = childrenNamed(service.pid, 'core');
    const late = idOf(await send('GET', '/v1/responses/resp_background'));
    process.kill(core, 'SIGKILL');
    const again = idOf(await send('GET', '/v1/responses/resp_background'));
    for (const read of [late, again]) {
      const item = await eventually('the read to be stored', async () => api.stored(read, 5000).catch(() => undefined), 60_000);
      expect(usageOf(item)).toEqual(nothing);
    }
    // The read is stored first.
    const completed = await eventually('the call to have its usage', async () => {
      const item = await api.stored(id);
      return item.total_tokens === null ? undefined : item;
    });
    expect(usageOf(completed)).toEqual({ prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200, cost });

    const { body: history } = await api.call<readonly ChangeItem[]>('GET', `/v1/request/${id}/changes`);
    expect(history.data.map(({ key_id, kind, name, old, new: now }) => [key_id, kind, name, old, now])).toEqual([
      ['gateway', 'usage', 'completion_tokens', null, 200],
      ['gateway', 'cost', 'cost', null, cost],
      ['gateway', 'usage', 'prompt_tokens', null, 1000],
    ]);
    const { body: explained } = await api.call<RequestCost>('GET', `/v1/request/${id}/cost`);
    expect(explained.data).toMatchObject({ total: cost, source: 'price-book', differs: false });
    expect(explained.data.lines.map(({ kind, tokens }) => [kind, tokens])).toEqual([
      ['input', 600],
      ['cache_read', 400],
      ['output', 200],
    ]);
  });
});

/** Answers with the identifier in the path, or a new one; a read is answered with this many tokens by each credential. */
const answering = (tokensOf: (credential: string) => number): Parameters<FakeOpenAi['behave']>[0] => {
  return ({ method, url, rawHeaders }, response) => {
    const isGemini = url.includes('/interactions');
    const sent = rawHeaders.find((_, index) => /^(?:authorization|x-goog-api-key)$/i.test(rawHeaders[index - 1] ?? '')) ?? '';
    const tokens = tokensOf(sent.replace('Bearer ', ''));
    const id = method === 'POST' ? `made_${randomUUID()}` : url.replace(/\?.*/, '').replace(/.*\//, '');
    const common = isGemini
      ? { id, object: 'interaction', model: 'gemini-2.5-flash', created: new Date().toISOString() }
      : { id, object: 'response', model: 'gpt-4o-mini', background: true, created_at: Math.floor(Date.now() / 1000) };
    const usage = isGemini
      ? { total_input_tokens: tokens, total_output_tokens: 1, total_tokens: tokens + 1 }
      : { input_tokens: tokens, output_tokens: 1, total_tokens: tokens + 1 };
    const told = method === 'POST' ? { status: isGemini ? 'in_progress' : 'queued' } : { status: 'completed', usage };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...common, ...told }));
  };
};

type Headers = Readonly<Record<string, string>>;

interface Exchanged {
  readonly id: string;
  /** The provider's identifier of its response. */
  readonly answered: string;
}

/** A call by a client with keys of its own. @returns undefined when the provider refused it. */
async function attempt(method: 'POST' | 'GET', path: string, headers: Headers): Promise<Exchanged | undefined> {
  const response = await fetch(service.gateway + path, {
    method,
    headers: { 'svc-auth': `Bearer ${testKey}`, 'content-type': 'application/json', ...headers },
    ...(method === 'GET' ? {} : { body: JSON.stringify({ model: 'gpt-4o-mini', input: 'Say hello.', background: true }) }),
  });
  const { id } = (await response.json()) as { readonly id: string };
  return response.status === 200 ? { id: idOf(response), answered: id } : undefined;
}

async function exchange(method: 'POST' | 'GET', path: string, headers: Headers): Promise<Exchanged> {
  const exchanged = await attempt(method, path, headers);
  if (exchanged === undefined) throw new Error(`${method} ${path} was refused`);
  return exchanged;
}

/** Waits until these are stored and their batches are done. */
async function settled(ids: readonly string[], client = api): Promise<void> {
  for (const id of ids) await client.stored(id, 60_000);
  // It is in a later batch.
  await api.stored((await exchange('GET', '/v1/files', {})).id, 60_000);
}

const tokensOnRecord = async (id: string): Promise<number | null> => (await api.stored(id, 60_000)).prompt_tokens;

const completed = async (id: string): Promise<number> =>
  eventually('the call to have its usage', async () => (await tokensOnRecord(id)) ?? undefined, 60_000);

describe.each([
  { by: 'OpenAI', path: '/v1/responses', using: (key: string): Headers => ({ authorization: `Bearer ${key}` }) },
  { by: 'Gemini', path: '/v1beta/interactions', using: (key: string): Headers => ({ 'x-goog-api-key': key }) },
])('a response that $by makes in the background', ({ path, using }) => {
  beforeAll(() => {
    provider.behave(answering((credential) => (credential === 'sk-ours' ? 1000 : 7)));
    forger.behave(answering(() => 7));
  });

  it('gets its usage by the credential that made it and by no other, even when the core is killed in between', async () => {
    const made = await exchange('POST', path, using('sk-ours'));
    await settled([made.id]);
    const read = `${path}/${made.answered}`;
    const foreign = [await exchange('GET', read, using('sk-another')), await exchange('GET', read, {})];
    await settled(foreign.map(({ id }) => id));
    const stranger = await exchange('GET', read, { ...using('sk-ours'), 'svc-auth': `Bearer ${strangerKey}` });
    await settled([stranger.id], apiClient(service.api, strangerKey));
    expect(await tokensOnRecord(made.id)).toBeNull();
    for (const { id } of foreign) expect(await tokensOnRecord(id)).toBeNull();

    const [core = 0] = childrenNamed(service.pid, 'core');
    process.kill(core, 'SIGKILL');
    await exchange('GET', read, using('sk-another'));
    await exchange('GET', read, using('sk-ours'));
    await exchange('GET', read, using('sk-another'));
    const tokens = await eventually('the call to have its usage', async () => completed(made.id).catch(() => undefined), 120_000);
    expect(tokens).toBe(1000);
  });

  it('gets its usage from the address that made it and from no other', async () => {
    const [own, other] = [provider, forger].map(({ baseUrl }) => ({ ...using('sk-ours'), 'svc-target-url': new URL(baseUrl).origin }));
    const made = await exchange('POST', path, own ?? {});
    const read = `${path}/${made.answered}`;
    const forged = await exchange('GET', read, other ?? {});
    await settled([made.id, forged.id]);
    expect(await tokensOnRecord(made.id)).toBeNull();
    await exchange('GET', read, own ?? {});
    expect(await completed(made.id)).toBe(1000);
  });
});

/** Calls without a key until the provider accepts the stored one. */
const accepted = async (method: 'POST' | 'GET', path: string): Promise<Exchanged> =>
  eventually('the key to be in use', async () => attempt(method, path, {}));

it('a response under a stored key gets its usage by a read under the same key, and not once another has taken its place', async () => {
  const answer = answering((credential) => credential.length);
  const store = async (key: string): Promise<void> => {
    await api.call('POST', '/v1/provider-keys', { provider: 'openai', key });
    // The provider accepts the newest key alone: each worker sends it within seconds.
    provider.behave((call, response, request) => {
      if (call.rawHeaders.includes(`Bearer ${key}`)) answer(call, response, request);
      else response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
    });
  };
  await store('stored-once');
  const [made, late] = [await accepted('POST', '/v1/responses'), await accepted('POST', '/v1/responses')];
  await accepted('GET', `/v1/responses/${made.answered}`);
  expect(await completed(made.id)).toBe('stored-once'.length);

  await store('stored-in-its-place');
  const read = await accepted('GET', `/v1/responses/${late.answered}`);
  await settled([read.id]);
  expect(await tokensOnRecord(late.id)).toBeNull();
  // A caller with the same key is as good as the stored one.
  provider.behave(answer);
  await exchange('GET', `/v1/responses/${late.answered}`, { authorization: 'Bearer stored-once' });
  expect(await completed(late.id)).toBe('stored-once'.length);
});
