import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listSegments, listSeries } from '../src/spool/segment.ts';
import { segmentName } from '../src/spool/spool.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { completion, type FakeOpenAi, type SeenCall, startFakeOpenAi } from './support/fake-openai.ts';
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
let provider: FakeOpenAi;
let api: ApiClient;
const dataDir = makeDataDir();

beforeAll(async () => {
  provider = await startFakeOpenAi();
  await start();
});

async function start(): Promise<void> {
  service = await startService({
    dataDir,
    environment: {
      GATELOG_GATEWAY_WORKERS: '2',
      GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
      GATELOG_PROVIDER_OPENAI_KEY: 'deployment-openai',
      // Records and settlements do not wait for the end of a burst.
      GATELOG_INGEST_BURST_MS: '0',
    },
  });
  api = apiClient(service.api);
}

beforeEach(() => {
  provider.seen.length = 0;
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

const maxTokens = 50;
const body = JSON.stringify({ model: 'gpt-4', messages: [{ role: 'user', content: 'Hello' }], max_tokens: maxTokens });
/** The budget's reservation for the call in millionths of a US dollar: gpt-4 costs 30 and 60 dollars per million tokens. */
const estimate = Buffer.byteLength(body) * 30 + maxTokens * 60;
const cents = (millionths: number): string => (millionths / 10_000).toFixed(4);

/** Bills a call for these tokens. */
function bill(
  promptTokens: number,
  completionTokens: number,
): (call: SeenCall, response: Parameters<Parameters<FakeOpenAi['behave']>[0]>[1]) => void {
  const usage = { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: promptTokens + completionTokens };
  const text = JSON.stringify({ ...completion, model: 'gpt-4', usage });
  return (_call, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
  };
}

function send(headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', ...headers },
    body,
  });
}

async function call(headers: Readonly<Record<string, string>>): Promise<Response> {
  const response = await send(headers);
  await response.arrayBuffer();
  return response;
}

/** Makes this many concurrent calls. @returns the number of calls by status. */
async function storm(count: number, headers: Readonly<Record<string, string>>): Promise<Record<number, number>> {
  const statuses = await Promise.all(Array.from({ length: count }, async () => (await call(headers)).status));
  return Object.fromEntries(
    [...new Set(statuses)]
      .toSorted((one, other) => one - other)
      .map((status) => [status, statuses.filter((each) => each === status).length]),
  );
}

/** Bytes of the segments of each series in the spool. */
function segmentBytes(spool: string): number[] {
  return listSeries(spool).map((series) =>
    listSegments(path.join(spool, series)).reduce((sum, number) => sum + statSync(path.join(spool, series, segmentName(number))).size, 0),
  );
}

/** Makes a key on the command line, beside the running service. */
function makeKey(permissions: string): { readonly id: string; readonly key: string } {
  const command = [program, 'keys', 'create', '--org', 'default', '--permissions', permissions];
  const made = spawnSync(process.execPath, command, { env: serviceEnvironment({ dataDir }), encoding: 'utf8' });
  return { id: /Key (\S+) of/.exec(made.stderr)?.[1] ?? '', key: made.stdout.trim() };
}

const remaining = async (headers: Readonly<Record<string, string>>): Promise<number> =>
  Number((await call(headers)).headers.get('svc-ratelimit-remaining'));

describe('two workers', () => {
  it('let exactly 100 of 500 concurrent calls through a quota of 100', async () => {
    provider.behave(bill(1, 1));
    expect(childrenNamed(service.pid, 'gateway')).toHaveLength(2);
    expect(await storm(500, { 'svc-ratelimit-policy': '100;w=3600' })).toEqual({ 200: 100, 429: 400 });
    expect(provider.seen).toHaveLength(100);
    // Each worker has its own series in the spool, and both have written.
    expect(segmentBytes(path.join(dataDir, 'spool')).filter((bytes) => bytes > 10_000)).toHaveLength(2);
  });

  it('spend a budget for 100 calls, whose estimate is their cost, for exactly 100 of 500 concurrent ones', async () => {
    provider.behave(bill(Buffer.byteLength(body), maxTokens));
    const limited = { 'svc-ratelimit-policy': `${cents(estimate * 100)};w=7200;u=cents`, 'svc-property-run': 'exact' };
    expect(await storm(500, limited)).toEqual({ 200: 100, 429: 400 });
    expect(provider.seen).toHaveLength(100);
    const costs = await eventually('all records', async () => {
      const items = await api.query({ request_response_rmt: { properties: { run: { equals: 'exact' } } } }, { limit: 1000 });
      return items.length === 500 ? items.filter(({ response_status: status }) => status === 200).map(({ cost }) => cost) : undefined;
    });
    expect(new Set(costs)).toEqual(new Set([estimate / 1_000_000]));
    // The settlement equals the reservation, so that no further call passes.
    expect(await storm(20, limited)).toEqual({ 429: 20 });
  });

  it('never spend more than a budget whose estimates are above the costs, and let more through as it is settled', async () => {
    provider.behave(bill(10, 5));
    const cost = 10 * 30 + 5 * 60;
    const budget = estimate * 20;
    const limited = { 'svc-ratelimit-policy': `${cents(budget)};w=10800;u=cents` };
    expect((await storm(500, limited))[200]).toBeGreaterThanOrEqual(20);
    await eventually(
      'the budget to be used up but for less than one estimate',
      async () => {
        await storm(20, limited);
        expect(provider.seen.length * cost).toBeLessThanOrEqual(budget);
        return provider.seen.length >= Math.floor((budget - estimate) / cost) ? true : undefined;
      },
      60_000,
    );
    await storm(50, limited);
    expect(provider.seen.length * cost).toBeLessThanOrEqual(budget);
    expect(provider.seen.length).toBeGreaterThan(100);
  });
});

describe('a reservation', () => {
  it('of a call whose worker is killed stays counted, as nobody knows what the provider did', async () => {
    const limited = { 'svc-ratelimit-policy': `${cents(estimate * 10)};w=14400;u=cents` };
    provider.behave(() => undefined);
    const cut = call(limited).catch(() => 'cut');
    await eventually('the call to reach the provider', () => (provider.seen.length === 1 ? true : undefined));
    for (const worker of childrenNamed(service.pid, 'gateway')) process.kill(worker, 'SIGKILL');
    expect(await cut).toBe('cut');
    provider.behave(bill(0, 0));
    await eventually('a worker to take calls again', async () => {
      const healthy = await fetch(`${service.gateway}/healthz`).catch(() => undefined);
      return healthy?.ok === true ? true : undefined;
    });
    const [broken] = await eventually('the record of the broken call', async () => {
      const items = await api.query({ request_response_rmt: { status: { equals: 0 } } });
      return items.length > 0 ? items : undefined;
    });
    expect(broken?.cost).toBeNull();
    expect(await remaining(limited)).toBeCloseTo(Number(cents(estimate * 8)), 4);
  });

  it('of a call that fails, or costs less, is given back', async () => {
    const limited = { 'svc-ratelimit-policy': `${cents(estimate * 10)};w=18000;u=cents` };
    provider.behave((_call, response) => response.writeHead(500, { 'content-type': 'application/json' }).end('{}'));
    await call(limited);
    provider.behave(bill(0, 0));
    const allButOne = Number(cents(estimate * 9));
    const left = await eventually('all of the budget to be there again but for the call that asks', async () => {
      const now = await remaining(limited);
      return now === allButOne ? now : undefined;
    });
    expect(left).toBe(allButOne);
  });

  it('ignores what the caller says that the call costs', async () => {
    const limited = { 'svc-ratelimit-policy': `${cents(estimate * 3)};w=21600;u=cents`, 'svc-cost': '0' };
    provider.behave(bill(Buffer.byteLength(body), maxTokens));
    for (let made = 0; made < 3; made += 1) {
      const id = (await call(limited)).headers.get('svc-id') ?? '';
      expect(await api.stored(id)).toMatchObject({ cost: 0, cost_source: 'header' });
    }
    expect((await call(limited)).status).toBe(429);
  });
});

it('limits that an organisation stores reach every worker, and hold without a header', async () => {
  provider.behave(bill(1, 1));
  const gatewayKey = makeKey('rw');
  const admin = makeKey('admin').key;
  const limits = [{ policy: '3;w=86400', key_id: gatewayKey.id }];
  const put = await apiClient(service.api, admin).call('PUT', '/v1/rate-limits', limits);
  expect([put.status, put.body.data]).toEqual([200, limits]);
  const stored = { authorization: `Bearer ${gatewayKey.key}` };
  await eventually('the limit to hold', async () => ((await call(stored)).headers.has('svc-ratelimit-limit') ? true : undefined), 30_000);
  await eventually(
    'all workers to refuse',
    async () => {
      const statuses = await storm(20, stored);
      return statuses[429] === 20 ? true : undefined;
    },
    30_000,
  );
  expect((await call({})).status).toBe(200);
});

it('a limit of one value of a property refuses the calls of that value alone', async () => {
  provider.behave(bill(1, 1));
  const gatewayKey = makeKey('rw');
  const admin = makeKey('admin').key;
  const limits = [{ policy: '1;w=86400;s=Team', value: 'search', key_id: gatewayKey.id }];
  expect((await apiClient(service.api, admin).call('PUT', '/v1/rate-limits', limits)).body.data).toEqual(limits);
  const of = (team: string) => ({ authorization: `Bearer ${gatewayKey.key}`, 'svc-property-team': team });
  await eventually('all workers to refuse', async () => ((await storm(20, of('search')))[429] === 20 ? true : undefined), 30_000);
  expect(await storm(20, of('checkout'))).toEqual({ 200: 20 });
});

it('an alert rule with `enforce` refuses calls by its name, until it is deleted', async () => {
  provider.behave(bill(1, 1));
  const admin = apiClient(service.api, makeKey('admin').key);
  const rule = { name: 'Spend of Ann', metric: 'cost', threshold: 0.000_001, time_window: 86_400_000, grouping: 'user', enforce: true };
  const { id } = (await admin.call<{ readonly id: string }>('POST', '/v1/alerts', rule)).body.data;
  const ann = { 'svc-user-id': 'ann' };
  // Workers hear of the rule one after the other.
  const refusal = await eventually('a refusal', async () => {
    const response = await send(ann);
    const text = await response.text();
    return response.status === 429 ? text : undefined;
  });
  expect(refusal).toContain('the alert rule \\"Spend of Ann\\"');
  expect((await call({})).status).toBe(200);
  await admin.call('DELETE', `/v1/alerts/${id}`);
  await eventually('calls to pass again', async () => (await call(ann)).status === 200 || undefined);
});

it('a limit by the calendar is exact over all workers, and a restart of the service does not begin it again', async () => {
  provider.behave(bill(1, 1));
  const limited = { 'svc-ratelimit-policy': '20;calendar=month;tz=Europe/Berlin', 'svc-property-run': 'calendar' };
  const byLength = { 'svc-ratelimit-policy': '30;w=2592000' };
  expect(await storm(100, limited)).toEqual({ 200: 20, 429: 80 });
  expect(await storm(10, byLength)).toEqual({ 200: 10 });
  await service.stop();
  await start();
  expect(await storm(20, limited)).toEqual({ 429: 20 });
  expect(await storm(30, byLength)).toEqual({ 200: 20, 429: 10 });
  const refused = await send(limited);
  expect(await refused.text()).toContain('when the month ends in Europe/Berlin');
  expect(Number(refused.headers.get('ratelimit-policy')?.split(';w=')[1]) / 86_400).toBeGreaterThanOrEqual(28 - 1 / 24);
});
