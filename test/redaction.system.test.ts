import { statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { gatelog } from './support/command.ts';
import { eventually } from './support/eventually.ts';
import { filesBelow, filesHolding } from './support/held-text.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

const dataDir = makeDataDir();
let service: Service;
let api: ApiClient;

beforeAll(async () => {
  service = await startService({ dataDir, environment: { GATELOG_SPOOL_SEGMENT_SECONDS: '1', GATELOG_LOG_LEVEL: 'debug' } });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  removeDataDir(dataDir);
});

const secrets = ['planted.person@example.com', '5555 5555 5555 4444', 'sk-planted0123456789abcdef', 'EMP-424242'];
const rules = [{ kind: 'email' }, { kind: 'card' }, { kind: 'key' }, { kind: 'regex', pattern: 'EMP-[0-9]{6}' }];
const said = `Take ${secrets.join(' or ')} now`;
const left = 'Take [email] or [card] or [key] or [redacted] now';

async function call(stream: boolean): Promise<string> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', 'svc-property-note': said },
    body: JSON.stringify({ model: 'echo/x', stream, messages: [{ role: 'user', content: said }] }),
  });
  const text = await response.text();
  // The caller receives the provider's text; only the record is redacted.
  expect(stream ? text.includes('EMP-424242') : text.includes(said)).toBe(true);
  return response.headers.get('svc-id') ?? '';
}

const holdingSecrets = (folder: string): readonly string[] => [...filesHolding(folder, ...secrets).keys()];

it('planted secrets reach the caller and not the store; the spool that held them is for its owner only and goes once it is drained', async () => {
  expect((await api.call('PUT', '/v1/redaction-rules', rules)).status).toBe(200);
  const spool = path.join(dataDir, 'spool');
  const ids = [await call(false), await call(true)];
  const segments = filesBelow(spool).filter((file) => file.endsWith('.seg') && statSync(file).size > 0);
  expect(holdingSecrets(spool)).not.toEqual([]);
  expect(segments.map((file) => statSync(file).mode & 0o777)).toEqual(segments.map(() => 0o600));

  for (const id of ids) {
    expect(await api.stored(id)).toMatchObject({
      request_body: { messages: [{ content: left }] },
      response_body: { choices: [{ message: { content: left } }] },
      properties: { note: left },
      prompt_tokens: said.split(' ').length,
    });
  }
  const found = await api.query({ request_response_rmt: { request_body: { contains: 'EMP-424242' } } });
  expect([found, await api.query({ request_response_rmt: { response_body: { contains: '[redacted]' } } })]).toMatchObject([[], [{}, {}]]);

  // A segment is closed at its maximum age, and deleted once it is stored.
  await eventually('the spool to be deleted', async () => {
    await fetch(`${service.gateway}/v1/models`, { headers: { authorization: `Bearer ${testKey}` } });
    return holdingSecrets(spool).length > 0 ? undefined : true;
  });
  await eventually('every file to be without them', () => (holdingSecrets(dataDir).length > 0 ? undefined : true));
  for (const secret of secrets) expect(service.output()).not.toContain(secret);
});

it('a body whose rules take too long is left out of its record, and later records are stored', async () => {
  // Slow rules use up the share of their organisation for a while, so this test has its own organisation.
  expect((await gatelog(dataDir, 'orgs', 'create', 'slow')).code).toBe(0);
  const slowKey = (await gatelog(dataDir, 'keys', 'create', '--org', 'slow', '--permissions', 'admin')).stdout.trim();
  const slow = apiClient(service.api, slowKey);
  for (const client of [api, slow]) {
    expect((await client.call('PUT', '/v1/redaction-rules', [{ kind: 'regex', pattern: 'Q.*b|Q' }])).status).toBe(200);
  }
  const send = async (key: string, content: string): Promise<string> => {
    const response = await fetch(`${service.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content }] }),
    });
    await response.arrayBuffer();
    return response.headers.get('svc-id') ?? '';
  };
  const [long, short] = [await send(slowKey, 'Q'.repeat(400_000)), await send(testKey, 'Q b')];
  expect(await api.stored(short)).toMatchObject({ request_body: { messages: [{ content: '[redacted]' }] } });
  const redactedPlaceholder = '[left out: the redaction rules could not be applied]';
  expect(await slow.stored(long)).toMatchObject({
    request_body: redactedPlaceholder,
    response_body: redactedPlaceholder,
    response_status: 200,
  });
  await eventually('the log to say so', () => service.output().includes('redaction_failed') || undefined);
});

it.each([
  ['an identifier', { 'svc-user-id': '"'.repeat(600_000) }],
  ['properties', Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`svc-property-p${index}`, '"'.repeat(8192)]))],
])('%s of more quotation marks than a frame of the spool holds does not switch the rules off', async (_name, headers) => {
  expect((await api.call('PUT', '/v1/redaction-rules', [{ kind: 'email' }])).status).toBe(200);
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'write to planted.person@example.com' }] }),
  });
  expect(await response.text()).toContain('planted.person@example.com');
  const record = await api.stored(response.headers.get('svc-id') ?? '');
  expect(record).toMatchObject({ request_body: { messages: [{ content: 'write to [email]' }] } });
  expect(JSON.stringify(record)).not.toContain('@');
});
