import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { completion, type FakeOpenAi, startFakeOpenAi } from './support/fake-openai.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

let service: Service;
let provider: FakeOpenAi;
let api: ApiClient;
const dataDir = makeDataDir();

beforeAll(async () => {
  provider = await startFakeOpenAi();
  service = await startService({ dataDir, environment: { GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl } });
  api = apiClient(service.api);
  // The first batch starts the interpreter's thread and loads the price book.
  const warm = await echoClient()
    .chat.completions.create({ model: 'echo/warm', messages: [{ role: 'user', content: 'warm' }] })
    .withResponse();
  await api.stored(warm.response.headers.get('svc-id') ?? '');
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

/** An official client with a Gatelog key as its API key: enough for the echo provider. */
function echoClient(defaultHeaders: Record<string, string> = {}): OpenAI {
  return new OpenAI({ baseURL: `${service.gateway}/v1`, apiKey: testKey, defaultHeaders, maxRetries: 0 });
}

/** An official client with a provider's key, and a Gatelog key in Svc-Auth. */
function openAiClient(defaultHeaders: Record<string, string> = {}): OpenAI {
  return new OpenAI({
    baseURL: `${service.gateway}/v1`,
    apiKey: 'sk-provider',
    defaultHeaders: { 'Svc-Auth': `Bearer ${testKey}`, ...defaultHeaders },
    maxRetries: 0,
  });
}

/** ASCII-only JSON: `fetch` refuses other characters in a header. */
function headerJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[^\u0020-\u007e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const tagged = {
  'Svc-Properties': headerJson({ Environment: 'production', Team: 'Zahlungen ✓' }),
  'Svc-User-Id': 'user-1',
  'Svc-Session-Id': 'session-1',
  'Svc-Session-Name': 'checkout',
  'Svc-Session-Path': '/plan/step',
};

function byProperty(name: string, value: string): unknown {
  return { request_response_rmt: { properties: { [name]: { equals: value } } } };
}

describe('the main job, from a tagged call to a changed property', () => {
  it('tagged call → svc-id → visible → found by property → other case and unwrapped find nothing → PUT → both properties seen', async () => {
    const { data, response } = await openAiClient(tagged)
      .chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe('Grüße, 世界 🌍');
    const id = response.headers.get('svc-id') ?? '';
    expect(id).toMatch(/^[0-9a-f-]{36}$/);

    const found = await eventually('the request to be visible', async () =>
      (await api.query(byProperty('Environment', 'production'))).find((item) => item.request_id === id),
    );
    expect(found.request_properties).toEqual({
      Environment: 'production',
      Team: 'Zahlungen ✓',
      'Svc-Session-Id': 'session-1',
      'Svc-Session-Name': 'checkout',
      'Svc-Session-Path': '/plan/step',
    });

    expect(await api.query(byProperty('environment', 'production'))).toEqual([]);

    const unwrapped = await api.call('POST', '/v1/request/query-clickhouse', {
      filter: { properties: { Environment: { equals: 'production' } } },
    });
    expect(unwrapped.status).toBe(200);
    expect(unwrapped.body).toEqual({ data: [], error: null });
    expect(unwrapped.headers.get('svc-hint')).toContain('request_response_rmt');

    const put = await api.call('PUT', `/v1/request/${id}/property`, { Environment: 'staging', Reviewed: 'yes' });
    expect(put.status).toBe(200);
    expect(put.body).toEqual({ data: null, error: null });
    const both = { left: byProperty('Environment', 'staging'), operator: 'and', right: byProperty('Reviewed', 'yes') };
    const [changed, ...others] = await api.query(both);
    expect(others).toEqual([]);
    expect(changed?.request_id).toBe(id);
    expect(changed?.properties).toMatchObject({ Environment: 'staging', Team: 'Zahlungen ✓', Reviewed: 'yes' });
    expect(await api.query(byProperty('Environment', 'production'))).toEqual([]);
  });

  it('a session that is changed afterwards is changed in the record as in its properties, also before the record is stored', async () => {
    const { response } = await openAiClient(tagged)
      .chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'x' }] })
      .withResponse();
    const id = response.headers.get('svc-id') ?? '';
    const put = await api.call('PUT', `/v1/request/${id}/property`, { 'Svc-Session-Id': 'moved', Other: '1' });
    expect(put.status).toBe(200);
    expect(await api.stored(id)).toMatchObject({
      session_id: 'moved',
      session_name: 'checkout',
      properties: { 'Svc-Session-Id': 'moved', Other: '1' },
    });
    await api.call('PUT', `/v1/request/${id}/property`, { 'Svc-Session-Name': 'again', 'Svc-Session-Path': '/p' });
    expect(await api.stored(id)).toMatchObject({
      session_id: 'moved',
      session_name: 'again',
      session_path: '/p',
      properties: { 'Svc-Session-Name': 'again' },
    });
  });

  it('a stored JSON exchange holds what both sides said, its usage, its cost and its tags', async () => {
    const body = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'What does it cost?' }] };
    const { response } = await openAiClient(tagged).chat.completions.create(body).withResponse();
    const item = await api.stored(response.headers.get('svc-id') ?? '');
    expect(item).toMatchObject({
      provider: 'OPENAI',
      model: 'gpt-4o-2024-08-06',
      request_model: 'gpt-4o',
      response_model: 'gpt-4o-2024-08-06',
      response_id: 'chatcmpl-fake',
      response_status: 200,
      request_path: '/v1/chat/completions',
      target_url: `${provider.baseUrl}/chat/completions`,
      request_user_id: 'user-1',
      session_id: 'session-1',
      session_name: 'checkout',
      session_path: '/plan/step',
      prompt_tokens: 1000,
      completion_tokens: 200,
      total_tokens: 1200,
      prompt_cache_read_tokens: 400,
      reasoning_tokens: 50,
      usage_estimated: false,
      cost_source: 'price-book',
      // 600 × 2.50 $ + 400 × 1.25 $ + 200 × 10.00 $, for a million tokens each.
      cost: 0.004,
      costUSD: 0.004,
      request_body: body,
      response_body: completion,
      time_to_first_token: null,
    });
  });

  it('a stored stream is put together into the shape of the answer without streaming', async () => {
    const stream = await openAiClient()
      .chat.completions.create({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'Hello' }] })
      .withResponse();
    let text = '';
    for await (const chunk of stream.data) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe('Grüße, 世界 🌍');
    const item = await api.stored(stream.response.headers.get('svc-id') ?? '');
    expect(item.response_body).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    });
    expect(item).toMatchObject({ prompt_tokens: 1000, completion_tokens: 200, cost: 0.004, response_status: 200 });
    expect(item.time_to_first_token).toBeTypeOf('number');
  });

  it('our headers and keys never reach the provider, and its own credential does', async () => {
    provider.seen.length = 0;
    await openAiClient({ ...tagged, 'Helicone-Property-Old': 'x', 'X-Custom': 'kept' }).chat.completions.create({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'x' }],
    });
    const raw = provider.seen[0]?.rawHeaders ?? [];
    const names = raw.filter((_part, index) => index % 2 === 0).map((name) => name.toLowerCase());
    expect(names.filter((name) => name.startsWith('svc-') || name.startsWith('helicone-'))).toEqual([]);
    expect(raw.join('\n')).not.toContain(testKey);
    expect(raw).toContain('Bearer sk-provider');
    expect(names).toContain('x-custom');
  });
});

describe('the echo provider', () => {
  it('answers the official client with our key alone, JSON', async () => {
    const { data, response } = await echoClient(tagged)
      .chat.completions.create({ model: 'echo/any-name', messages: [{ role: 'user', content: 'one two three' }] })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe('one two three');
    expect(data.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 3 });
    const item = await api.stored(response.headers.get('svc-id') ?? '');
    // 3 × 1 $ + 3 × 2 $, for a million tokens each.
    expect(item).toMatchObject({ provider: 'ECHO', cost: 0.000009, prompt_tokens: 3, completion_tokens: 3 });
  });

  it('streams to the official client, with usage when asked for', async () => {
    const stream = await echoClient().chat.completions.create({
      model: 'echo/any-name',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'one two three' }],
    });
    let text = '';
    let total: number | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      total = chunk.usage?.total_tokens ?? total;
    }
    expect(text).toBe('one two three');
    expect(total).toBe(6);
  });
});
