import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { filesHolding } from './support/held-text.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

/** Secrets that may only be in memory. */
const keys = {
  ours: testKey,
  wrong: 'sk-svc-us-plantedwrongkey0123456789',
  otherRegion: 'sk-svc-eu-plantedregionkey0123456789',
  provider: 'sk-planted-provider-key-0123456789',
  inQuery: 'planted-query-key-0123456789',
  stored: 'sk-planted-stored-key-0123456789',
  deployment: 'sk-planted-deployment-key-0123456789',
  metrics: 'planted-metrics-key-0123456789',
} as const;

/** Text of callers and providers: it is recorded but never logged. */
const said = {
  body: 'planted-body-text',
  header: 'planted-header-text',
  property: 'planted-property-value',
  propertyName: 'planted-property-name',
  user: 'planted-user',
  response: 'planted-reply-text',
  phrase: 'planted-reason-phrase',
  garbage: 'planted-garbage-reply',
  directive: 'planted-directive-value',
  target: 'planted-target-host',
  filter: 'planted-filter-value',
  field: 'planted-field-name',
  json: 'planted-malformed-json',
  path: 'planted-path-part',
} as const;

/** Responses of the provider, one per call. */
const responses = [
  `HTTP/1.1 500 ${said.phrase}\r\ncontent-type: application/json\r\ncontent-length: 41\r\n\r\n{"error": {"message": "${said.response}"}}`.replace(
    'length: 41',
    `length: ${`{"error": {"message": "${said.response}"}}`.length}`,
  ),
  `${said.garbage}\r\n\r\n`,
  `HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n${said.response}`,
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${said.response.length}\r\n\r\n${said.response}`,
  `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${said.response.length}\r\n\r\n${said.response}`,
  '',
];

const dataDir = makeDataDir();
let provider: Server;
let service: Service;
let api: ApiClient;
const answers: string[] = [];

beforeAll(async () => {
  let count = 0;
  provider = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.end(responses[count % responses.length] ?? '');
      count += 1;
    });
  });
  await new Promise<void>((resolve) => {
    provider.listen(0, '127.0.0.1', resolve);
  });
  service = await startService({
    dataDir,
    environment: {
      GATELOG_LOG_LEVEL: 'debug',
      GATELOG_METRICS_KEY: keys.metrics,
      GATELOG_PROVIDER_OPENAI_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`,
      GATELOG_PROVIDER_MISTRAL_KEY: keys.deployment,
      GATELOG_AUTH_FAILURES_PER_MINUTE: '6',
    },
  });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  provider.close();
  removeDataDir(dataDir);
});

const noise = {
  'x-custom': said.header,
  cookie: said.header,
  [`svc-property-${said.propertyName}`]: said.property,
  'svc-user-id': said.user,
};

/** One call of the gateway, whose response is kept. @returns its status. */
async function send(target: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const response = await fetch(service.gateway + target, {
    method: 'POST',
    headers: {
      'svc-auth': `Bearer ${keys.ours}`,
      authorization: `Bearer ${keys.provider}`,
      'content-type': 'application/json',
      ...noise,
      ...headers,
    },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: said.body }] }),
  });
  answers.push(JSON.stringify([...response.headers]));
  answers.push(await response.text().catch(() => ''));
  return response.status;
}

async function ask(target: string, body: string, key: string = keys.ours): Promise<number> {
  const response = await fetch(service.api + target, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
  answers.push(await response.text());
  return response.status;
}

const chat = `/v1/chat/completions?key=${keys.inQuery}&x=${said.path}`;

const foundIn = (texts: Readonly<Record<string, string>>, bytes: string): string[] =>
  Object.entries(texts)
    .filter(([, text]) => bytes.includes(text))
    .map(([name]) => name);

describe('secrets that callers, operators and providers have brought', () => {
  it('are planted in calls that fail in every way', async () => {
    for (let count = 0; count < responses.length; count += 1) await send(chat);
    const stored = await api.call('POST', '/v1/provider-keys', { provider: 'groq', key: keys.stored });
    answers.push(JSON.stringify(stored.body));
    expect(stored.status).toBe(200);
    const statuses = [
      await send(chat, { 'svc-auth': `Bearer ${keys.wrong}` }),
      await send(chat, { 'svc-auth': `Bearer ${keys.otherRegion}` }),
      await send(chat, { 'svc-ratelimit-policy': said.directive }),
      await send(chat, { 'svc-omit-request': said.directive }),
      await send(chat, { 'svc-target-url': `https://user:${keys.provider}@${said.target}.invalid/v1?key=${keys.inQuery}` }),
      await send(chat, { 'svc-target-url': `http://127.0.0.1:1/${said.path}` }),
      await send(`/${said.path}/x`),
      await send(`/v1/../${said.path}`, { authorization: `Bearer ${keys.provider}, Bearer ${keys.ours}` }),
      await ask('/v1/request/query-clickhouse', `{"filter": ${said.json}`),
      await ask(
        '/v1/request/query-clickhouse',
        JSON.stringify({ filter: { request_response_rmt: { [said.field]: { equals: said.filter } } } }),
      ),
      await ask('/v1/request/query-clickhouse', JSON.stringify({ filter: { request_response_rmt: { status: { equals: said.filter } } } })),
      await ask(`/v1/${said.path}`, '{}'),
      await ask('/v1/request/query-clickhouse', '{}', keys.wrong),
      await ask('/v1/request/query-clickhouse', '{}', keys.otherRegion),
    ];
    expect(statuses).toEqual([401, 401, 422, 422, expect.any(Number), 403, 404, expect.any(Number), 400, 422, 422, 404, 401, 401]);
    // The record is made from the leftovers of a killed process.
    for (const pid of childrenNamed(service.pid, 'core')) process.kill(pid, 'SIGKILL');
    await eventually('the records to be there', async () => {
      const items = await api.query('all', { limit: 100 }).catch(() => []);
      answers.push(JSON.stringify(items));
      return items.length >= responses.length && JSON.stringify(items).includes(said.body) ? true : undefined;
    });
  });

  it('a caller whose keys are not accepted is told to wait; a good key from the same address is answered', async () => {
    // Six failed attempts are allowed again each minute, whatever else this machine does.
    const refusal = await eventually('the gateway to have had enough', async () => {
      const response = await fetch(`${service.gateway}/v1/models`, { headers: { authorization: `Bearer ${keys.wrong}` } });
      answers.push(await response.text());
      return response.status === 401 ? undefined : response;
    });
    expect([refusal.status, Number(refusal.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(['policy', 'limit', 'remaining'].map((name) => refusal.headers.get(`ratelimit-${name}`))).toEqual(['6;w=60', '6', '0']);
    expect((await fetch(`${service.gateway}/v1/models`, { headers: { authorization: `Bearer ${keys.ours}` } })).status).toBe(200);
    const query = '/v1/request/query-clickhouse';
    await eventually('the API to have had enough', async () => ((await ask(query, '{}', keys.wrong)) === 429 ? true : undefined));
    expect(await ask(query, '{"filter": "all"}')).toBe(200);
  });

  it('no key is in an answer, in the log, among the metrics or in a file', async () => {
    const page = await (await fetch(`${service.api}/metrics`, { headers: { authorization: `Bearer ${keys.metrics}` } })).text();
    expect(page).toContain('gatelog_events_total');
    expect(foundIn(keys, page)).toEqual([]);
    expect(foundIn(keys, service.output())).toEqual([]);
    expect(foundIn(keys, answers.join('\n'))).toEqual([]);
    expect([...filesHolding(dataDir, ...Object.values(keys))]).toEqual([]);
  });

  it('no text of callers or providers is in the log or the metrics', async () => {
    const page = await (await fetch(`${service.api}/metrics`, { headers: { authorization: `Bearer ${keys.metrics}` } })).text();
    expect(service.output()).toContain('"kind":"batch_stored"');
    expect([foundIn(said, service.output()), foundIn(said, page)]).toEqual([[], []]);
  });
});
