import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { completion, type FakeOpenAi, startFakeOpenAi, usage } from './support/fake-openai.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

let service: Service;
let openAi: FakeOpenAi;
let anthropic: FakeOpenAi;
let api: ApiClient;
const dataDir = makeDataDir();

beforeAll(async () => {
  openAi = await startFakeOpenAi();
  anthropic = await startFakeOpenAi();
  service = await startService({
    dataDir,
    environment: {
      GATELOG_PROVIDER_OPENAI_URL: openAi.baseUrl,
      GATELOG_PROVIDER_OPENAI_KEY: 'deployment-openai',
      GATELOG_PROVIDER_ANTHROPIC_URL: new URL(anthropic.baseUrl).origin,
      GATELOG_PROVIDER_ANTHROPIC_KEY: 'deployment-anthropic',
      GATELOG_ATTEMPTS_MAX: '4',
    },
  });
  api = apiClient(service.api);
});

beforeEach(() => {
  let calls = 0;
  openAi.behave((_call, response) => {
    calls += 1;
    const status = calls % 2 === 1 ? 429 : 503;
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' }).end('{"error":{"message":"busy"}}');
  });
  anthropic.behave((_call, response) => {
    const { model: _unsaid, ...nameless } = completion;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(nameless));
  });
});

afterAll(async () => {
  await service?.stop();
  await openAi?.close();
  await anthropic?.close();
  removeDataDir(dataDir);
});

const messages = [{ role: 'user' as const, content: 'Hello' }];
const retries = { 'Svc-Retry-Enabled': 'true', 'Svc-Retry-Num': '1', 'Svc-Retry-Min-Timeout': '0' };

/** An official client with only a Gatelog key, without retries of its own. */
function client(defaultHeaders: Record<string, string>): OpenAI {
  return new OpenAI({ baseURL: `${service.gateway}/v1`, apiKey: testKey, defaultHeaders, maxRetries: 0 });
}

it('a call that its first provider refuses twice is answered by the fallback; the record shows every attempt, and the cost of the last', async () => {
  const fallbacks = JSON.stringify([{ provider: 'anthropic', model: 'claude-sonnet-4-5' }]);
  const { data, response } = await client({ ...retries, 'Svc-Fallbacks': fallbacks })
    .chat.completions.create({ model: 'gpt-4o', messages })
    .withResponse();
  expect([data.choices[0]?.message.content, response.headers.get('svc-attempts'), response.headers.get('svc-fallback-index')]).toEqual([
    completion.choices[0]?.message.content,
    '3',
    '1',
  ]);
  expect(openAi.seen.map(({ body }) => (JSON.parse(body.toString()) as { model: string }).model)).toEqual(['gpt-4o', 'gpt-4o']);
  const item = await api.stored(response.headers.get('svc-id') ?? '');
  expect(item).toMatchObject({
    provider: 'ANTHROPIC',
    target_url: `${anthropic.baseUrl}/chat/completions`,
    request_model: 'claude-sonnet-4-5',
    request_body: { model: 'gpt-4o', messages },
    response_status: 200,
    total_tokens: usage.total_tokens,
    cost_source: 'price-book',
  });
  expect(item.attempts).toEqual([
    { provider: 'OPENAI', status: 429, ms: expect.any(Number) as number },
    { provider: 'OPENAI', status: 503, ms: expect.any(Number) as number },
    { provider: 'ANTHROPIC', status: 200, ms: expect.any(Number) as number },
  ]);
});

it('a list of models in the body does the same, in a stream too', async () => {
  anthropic.behave((_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('data: {"id":"s","model":"claude","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n');
  });
  const { data, response } = await client({})
    .chat.completions.create({ model: 'gpt-4o, anthropic/claude-sonnet-4-5', messages, stream: true })
    .withResponse();
  let text = '';
  for await (const chunk of data) text += chunk.choices[0]?.delta.content ?? '';
  expect(text).toBe('Hi');
  expect(await api.stored(response.headers.get('svc-id') ?? '')).toMatchObject({
    provider: 'ANTHROPIC',
    request_model: 'claude-sonnet-4-5',
    attempts: [{ provider: 'OPENAI' }, { provider: 'ANTHROPIC' }],
  });
});

it('the deployment`s most attempts hold, and the last reply is the client`s', async () => {
  const failed: unknown = await client({ ...retries, 'Svc-Retry-Num': '50' })
    .chat.completions.create({ model: 'gpt-4o', messages })
    .catch((error: unknown) => error);
  expect(failed).toMatchObject({ status: 503 });
  const { headers } = failed as { headers: Headers };
  expect(headers.get('svc-warning')).toContain('GATELOG_ATTEMPTS_MAX');
  const { attempts } = await api.stored(headers.get('svc-id') ?? '');
  expect(attempts).toHaveLength(4);
});
