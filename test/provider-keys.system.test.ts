import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { type FakeOpenAi, startFakeOpenAi } from './support/fake-openai.ts';
import { filesBelow, filesHolding } from './support/held-text.ts';
import { makeDataDir, program, removeDataDir, type Service, serviceEnvironment, startService, testKey } from './support/process-tree.ts';

const planted = 'sk-planted-key-of-the-provider-0123456789';
const dataDir = makeDataDir();
let service: Service;
let provider: FakeOpenAi;
let api: ApiClient;
let strangerKey: string;
let output = '';

async function start(secret: string): Promise<void> {
  const { host } = new URL(provider.baseUrl);
  const environment = { GATELOG_SECRET_KEY: secret, GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl, GATELOG_TARGET_ALLOWLIST: host };
  service = await startService({ dataDir, environment: { ...environment, GATELOG_LOG_LEVEL: 'debug' } });
  api = apiClient(service.api);
}

async function restart(secret: string): Promise<void> {
  await service.stop();
  output += service.output();
  await start(secret);
}

/** Of calls that were answered, in all tests. */
const ids: string[] = [];

const firstSecret = 'the-first-secret-of-this-deployment';

beforeAll(async () => {
  provider = await startFakeOpenAi();
  await start(firstSecret);
  run('orgs', 'create', 'strangers');
  strangerKey = run('keys', 'create', '--org', 'strangers', '--permissions', 'admin');
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

/** Runs a command beside the service. @returns its output. */
function run(...command: string[]): string {
  return spawnSync(process.execPath, [program, ...command], { env: serviceEnvironment({ dataDir }), encoding: 'utf8' }).stdout.trim();
}

interface Response {
  readonly status: number;
  readonly id: string;
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** The credential that the provider received in this call. */
  readonly sent: string | null | undefined;
}

async function call(headers: Readonly<Record<string, string>> = {}, model = 'gpt-4o'): Promise<Response> {
  provider.seen.length = 0;
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  const body = (await response.json()) as { error?: { code: string; message: string } };
  const lines = provider.seen[0]?.rawHeaders;
  const at = lines?.findIndex((name) => name.toLowerCase() === 'authorization') ?? -1;
  return {
    status: response.status,
    id: response.headers.get('svc-id') ?? '',
    code: body.error?.code,
    message: body.error?.message,
    sent: lines === undefined ? undefined : (lines[at === -1 ? lines.length : at + 1] ?? null),
  };
}

it('a stored key serves its organisation alone and goes to its provider alone', async () => {
  const before = await call();
  expect([before.status, before.code, before.message]).toEqual([401, 'no_provider_key', expect.stringContaining('POST /v1/provider-keys')]);
  expect((await api.call('POST', '/v1/provider-keys', { provider: 'openai', key: planted })).status).toBe(200);
  const used = await eventually('the key to be used', async () => {
    const response = await call();
    return response.status === 200 ? response : undefined;
  });
  expect(used.sent).toBe(`Bearer ${planted}`);
  expect((await call({ 'svc-auth': `Bearer ${testKey}`, authorization: 'Bearer own' })).sent).toBe('Bearer own');

  // Another organisation neither uses nor sees the key.
  expect((await call({ authorization: `Bearer ${strangerKey}` })).code).toBe('no_provider_key');
  expect((await apiClient(service.api, strangerKey).call('GET', '/v1/provider-keys')).body.data).toEqual([]);

  // A call to an address of the caller's choice carries no stored key.
  const elsewhere = await call({ 'svc-target-url': provider.baseUrl });
  expect([elsewhere.status, elsewhere.sent]).toEqual([200, null]);

  const models = async (key: string): Promise<string> =>
    (await fetch(`${service.gateway}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).text();
  expect([await models(testKey), await models(strangerKey)]).toEqual([
    expect.stringContaining('"openai/gpt-4o"'),
    expect.not.stringContaining('"openai/'),
  ]);
  const { data } = JSON.parse(await models(testKey)) as { data: object[] };
  expect((await api.call('GET', '/v1/models')).body).toEqual({ object: 'list', data, error: null });

  ids.push(used.id, elsewhere.id);
});

it('with another secret, calls that need the key are refused with a remedy and all others work; with the first secret the key works again', async () => {
  await restart('another-secret-by-mistake-or-for-good');
  const refused = await call();
  expect([refused.status, refused.code, refused.message, refused.sent]).toEqual([
    503,
    'provider_key_unreadable',
    expect.stringContaining('Restore that secret (GATELOG_SECRET_KEY'),
    undefined,
  ]);
  expect(await api.stored(refused.id)).toMatchObject({ response_status: 503 });
  expect((await api.call('GET', '/v1/provider-keys')).body.data).toMatchObject([{ provider: 'openai', hint: '…6789', readable: false }]);
  expect((await call({ 'svc-auth': `Bearer ${testKey}`, authorization: 'Bearer own' })).status).toBe(200);
  expect((await call({}, 'echo/x')).status).toBe(200);
  await restart(firstSecret);
  const later = await call();
  expect([later.status, later.sent]).toEqual([200, `Bearer ${planted}`]);
  ids.push(later.id);
});

it('a stored key is nowhere in the open', async () => {
  expect(ids).toHaveLength(3);
  for (const id of ids) expect(JSON.stringify(await api.stored(id))).not.toContain('planted');
  expect(JSON.stringify(await api.query('all', { limit: 100 }))).not.toContain('planted');
  expect(output + service.output()).toContain('database_prepared');
  expect(output + service.output()).not.toContain('planted');
  const forms = [planted, Buffer.from(planted).toString('base64url').slice(0, -3), Buffer.from(planted).toString('hex')];
  expect(filesBelow(dataDir).some((file) => file.endsWith('metadata.db'))).toBe(true);
  expect([...filesHolding(dataDir, ...forms)]).toEqual([]);
});

it('a deleted key is not sent any more', async () => {
  const [key] = (await api.call<{ id: string }[]>('GET', '/v1/provider-keys')).body.data;
  expect((await api.call('DELETE', `/v1/provider-keys/${key?.id}`)).status).toBe(200);
  await eventually('the key to be gone', async () => ((await call()).code === 'no_provider_key' ? true : undefined));
  expect((await api.call('GET', '/v1/provider-keys')).body.data).toEqual([]);
});
