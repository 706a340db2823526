import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headerPairs } from '../src/platform/http/header-list.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { type FakeOpenAi, startFakeOpenAi, usage } from './support/fake-openai.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

let service: Service;
let provider: FakeOpenAi;
let api: ApiClient;
const dataDir = makeDataDir();

beforeAll(async () => {
  provider = await startFakeOpenAi();
  const { host } = new URL(provider.baseUrl);
  service = await startService({
    dataDir,
    environment: {
      GATELOG_TARGET_ALLOWLIST: host,
      GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
      GATELOG_PROVIDER_OPENAI_KEY: 'deployment-openai',
      GATELOG_PROVIDER_ANTHROPIC_URL: `http://${host}`,
      GATELOG_PROVIDER_ANTHROPIC_KEY: 'deployment-anthropic',
    },
  });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

const messages = [{ role: 'user' as const, content: 'Hello' }];

/** An official client with only a Gatelog key. */
function client(defaultHeaders: Record<string, string> = {}): OpenAI {
  return new OpenAI({ baseURL: `${service.gateway}/v1`, apiKey: testKey, defaultHeaders, maxRetries: 0 });
}

function lastCall(): { readonly url: string; readonly headers: Headers } {
  const call = provider.seen.at(-1);
  const lines = call?.rawHeaders ?? [];
  const headers = new Headers(headerPairs(lines));
  return { url: call?.url ?? '', headers };
}

describe('an official client', () => {
  it('reaches another provider by the model alone, with the deployment`s key for it', async () => {
    const { response } = await client().chat.completions.create({ model: 'anthropic/claude', messages }).withResponse();
    expect([lastCall().url, lastCall().headers.get('authorization')]).toEqual(['/v1/chat/completions', 'Bearer deployment-anthropic']);
    expect(await api.stored(response.headers.get('svc-id') ?? '')).toMatchObject({
      response_status: 200,
      request_path: '/v1/chat/completions',
    });
  });

  it('reaches an address of its own, without a key of the deployment, and finds it in the record', async () => {
    const { host } = new URL(provider.baseUrl);
    const { response } = await client({ 'Svc-Target-Url': `http://${host}/base` })
      .chat.completions.create({ model: 'openai/gpt-4o', messages })
      .withResponse();
    expect([lastCall().url, lastCall().headers.get('authorization')]).toEqual(['/base/v1/chat/completions', null]);
    expect(await api.stored(response.headers.get('svc-id') ?? '')).toMatchObject({
      provider: 'CUSTOM',
      target_url: `http://${host}/base/v1/chat/completions`,
    });
  });

  it('gets the reason why an address is refused, and the refusal is recorded', async () => {
    const failed: unknown = await client({ 'Svc-Target-Url': 'http://169.254.169.254/latest' })
      .chat.completions.create({ model: 'gpt-4o', messages })
      .catch((error: unknown) => error);
    if (!(failed instanceof APIError)) throw new Error('the call was made');
    expect([failed.status, failed.code, failed.message]).toEqual([
      403,
      'target_not_allowed',
      expect.stringContaining('GATELOG_TARGET_ALLOWLIST'),
    ]);
    const id = (failed.headers as Headers | undefined)?.get('svc-id') ?? '';
    expect(await api.stored(id)).toMatchObject({ response_status: 403, provider: 'CUSTOM', target_url: null });
  });

  it('streams without the usage that Svc-Stream-Usage asked for; the record has it, with its cost', async () => {
    const { data, response } = await client({ 'Svc-Stream-Usage': 'true' })
      .chat.completions.create({ model: 'gpt-4o', messages, stream: true })
      .withResponse();
    const chunks = [];
    for await (const chunk of data) chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.every(({ choices, usage: said }) => choices.length > 0 && (said ?? null) === null)).toBe(true);
    expect(JSON.parse(provider.seen.at(-1)?.body.toString() ?? '')).toMatchObject({ stream_options: { include_usage: true } });
    const item = await api.stored(response.headers.get('svc-id') ?? '');
    expect(item).toMatchObject({ total_tokens: usage.total_tokens, request_body: { model: 'gpt-4o', messages, stream: true } });
    expect(item.cost).toBeGreaterThan(0);
  });

  it('lists models', async () => {
    const { data } = await client().models.list();
    expect(data[0]).toMatchObject({ id: 'echo/echo', object: 'model' });
    const response = await client().chat.completions.create({ model: data[0]?.id ?? '', messages });
    expect(response.choices[0]?.message.content).toBe('Hello');
  });
});

it('a client reaches Anthropic`s API by the gateway`s address alone: a Gatelog key comes in x-api-key, the deployment`s key goes out', async () => {
  provider.behave((_call, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"type":"message"}'));
  const response = await fetch(`${service.gateway}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': testKey, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: '{"model":"claude"}',
  });
  expect([response.status, await response.text()]).toEqual([200, '{"type":"message"}']);
  const { url, headers } = lastCall();
  expect([url, headers.get('x-api-key'), headers.get('anthropic-version')]).toEqual(['/v1/messages', 'deployment-anthropic', '2023-06-01']);
});

async function rate(body: object): Promise<Response> {
  const headers = { 'helicone-auth': `Bearer ${testKey}`, 'content-type': 'application/json' };
  return fetch(`${service.gateway}/v1/feedback`, { method: 'POST', headers, body: JSON.stringify(body) });
}

describe('POST /v1/feedback', () => {
  it('stores feedback on the request, and reaches no provider', async () => {
    const { response } = await client().chat.completions.create({ model: 'gpt-4o', messages }).withResponse();
    const id = response.headers.get('svc-id') ?? '';
    const calls = provider.seen.length;
    const rated = await rate({ 'helicone-id': id, rating: true });
    expect([rated.status, await rated.json(), provider.seen.length]).toEqual([200, { data: null, error: null }, calls]);
    expect(await api.stored(id)).toMatchObject({ feedback_rating: true });
  });

  it('reports an unknown request', async () => {
    const rated = await rate({ 'helicone-id': '018f0000-0000-7000-8000-000000000000', rating: false });
    expect([rated.status, await rated.json()]).toMatchObject([404, { error: { code: 'not_found' } }]);
  });
});
