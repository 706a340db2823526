import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { type FakeOpenAi, startFakeOpenAi } from './support/fake-openai.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

let service: Service;
let one: FakeOpenAi;
let two: FakeOpenAi;
let api: ApiClient;
const dataDir = makeDataDir();

beforeAll(async () => {
  one = await startFakeOpenAi();
  two = await startFakeOpenAi();
  one.behave((_call, response) => response.writeHead(403).end('{"error":{"message":"no"}}'));
  two.behave((_call, response) => {
    const usage = { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices: [], usage }));
  });
  const hosts = [one, two].map(({ baseUrl }) => new URL(baseUrl).host).join(',');
  service = await startService({ dataDir, environment: { GATELOG_TARGET_ALLOWLIST: hosts } });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  await one?.close();
  await two?.close();
  removeDataDir(dataDir);
});

const from = ({ baseUrl }: FakeOpenAi): string => new URL(baseUrl).origin;

async function send(override: object, content: string): Promise<Response> {
  const list = [
    { 'target-url': from(one), headers: { Authorization: 'Bearer key-of-one' }, onCodes: [{ from: 400, to: 500 }] },
    { 'target-url': from(two), headers: { 'api-key': 'key-of-two' }, onCodes: [401, 403], bodyKeyOverride: override },
  ];
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'helicone-auth': `Bearer ${testKey}`,
      'helicone-fallbacks': JSON.stringify(list),
    },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
  });
  await response.arrayBuffer();
  return response;
}

it('a list in the form of Helicone`s documentation: the record has the body, model and cost of the entry that answered', async () => {
  const prices = [
    { model: 'gpt-4o', provider: 'custom', input: 100, output: 100 },
    { model: 'gpt-4o-mini', provider: 'custom', input: 1, output: 3 },
  ];
  expect((await api.call('PUT', '/v1/prices', prices)).status).toBe(200);
  const response = await send({ model: 'gpt-4o-mini', user: 'bob' }, 'Hello');
  expect([response.status, response.headers.get('helicone-fallback-index')]).toEqual([200, '1']);
  expect(two.seen.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual([
    { model: 'gpt-4o-mini', user: 'bob', messages: [{ role: 'user', content: 'Hello' }] },
  ]);
  const item = await api.stored(response.headers.get('svc-id') ?? '');
  expect(item).toMatchObject({
    target_url: `${from(two)}/v1/chat/completions`,
    request_model: 'gpt-4o-mini',
    request_user_id: 'bob',
    cost: 0.004,
    request_body: { model: 'gpt-4o-mini', user: 'bob', messages: [{ role: 'user', content: 'Hello' }] },
    attempts: [{ status: 403 }, { status: 200 }],
  });
});

it('redaction rules apply to an override`s text, and the caller`s text that it replaced is not stored', async () => {
  expect((await api.call('PUT', '/v1/redaction-rules', [{ kind: 'email' }])).status).toBe(200);
  const response = await send({ messages: [{ role: 'user', content: 'write to planted.person@example.com' }] }, 'replaced@example.com');
  expect(two.seen.at(-1)?.body.toString()).toContain('planted.person@example.com');
  const item = await api.stored(response.headers.get('svc-id') ?? '');
  expect(item).toMatchObject({ request_body: { model: 'gpt-4o', messages: [{ content: 'write to [email]' }] } });
  expect(JSON.stringify(item)).not.toMatch(/@example|key-of/);
});
