import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChangeItem } from '../src/contract/requests/changes.ts';
import type { RequestCost } from '../src/contract/requests/cost.ts';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { type FakeOpenAi, startFakeOpenAi } from './support/fake-openai.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

let service: Service;
let api: ApiClient;
let provider: FakeOpenAi;
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
  const environment = {
    GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
    GATELOG_PROVIDER_OPENAI_KEY: 'deployment-openai',
    GATELOG_INGEST_BURST_MS: '0',
    GATELOG_GATEWAY_WORKERS: '2',
  };
  service = await startService({ dataDir, environment });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

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
