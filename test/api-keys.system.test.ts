import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService } from './support/process-tree.ts';

const dataDir = makeDataDir();
let service: Service;
let api: ApiClient;

beforeAll(async () => {
  service = await startService({ dataDir, environment: {} });
  api = apiClient(service.api);
});
afterAll(async () => {
  await service?.stop();
  removeDataDir(dataDir);
});

async function callStatus(key: string): Promise<number> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'echo/demo', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await response.arrayBuffer();
  return response.status;
}

const queryStatus = async (key: string): Promise<number> =>
  (await apiClient(service.api, key).call('POST', '/v1/session/query', {})).status;

it('a key made through the API works at gateway and API, does what its permissions say, and ends everywhere within five seconds', async () => {
  const { data } = (await api.call<{ id: string; apiKey: string }>('POST', '/v1/api-keys', { api_key_name: 'checkout' })).body;
  expect([await callStatus(data.apiKey), await queryStatus(data.apiKey)]).toEqual([200, 200]);
  expect(
    (await apiClient(service.api, data.apiKey).call('POST', '/v1/api-keys', { api_key_name: 'more', key_permissions: 'admin' })).status,
  ).toBe(403);
  await api.call('PATCH', `/v1/api-keys/${data.id}`, { key_permissions: 'w' });
  await eventually(
    'the API refuses a key that may only send',
    async () => ((await queryStatus(data.apiKey)) === 403 ? true : undefined),
    5000,
  );
  expect(await callStatus(data.apiKey)).toBe(200);
  await api.call('DELETE', `/v1/api-keys/${data.id}`);
  await eventually('the gateway refuses the revoked key', async () => ((await callStatus(data.apiKey)) === 401 ? true : undefined), 5000);
  await eventually('the API refuses the revoked key', async () => ((await queryStatus(data.apiKey)) === 401 ? true : undefined), 5000);
});
