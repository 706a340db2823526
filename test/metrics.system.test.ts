import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceHealth } from '../src/client/client.ts';
import { apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

const metricsKey = 'metrics-key-0123456789';
const dataDir = makeDataDir();
let service: Service;

beforeAll(async () => {
  service = await startService({ dataDir, environment: { GATELOG_METRICS_KEY: metricsKey, GATELOG_GATEWAY_WORKERS: '1' } });
});

afterAll(async () => {
  await service?.stop();
  removeDataDir(dataDir);
});

const page = async (): Promise<string> => {
  const response = await fetch(`${service.api}/metrics`, { headers: { authorization: `Bearer ${metricsKey}` } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return response.text();
};

/** The value of a series, once it is as wanted. */
async function reads(series: string, wanted: (value: number) => boolean): Promise<number> {
  return eventually(`${series} to be as wanted`, async () => {
    // The API is unreachable for a moment after the core was killed.
    const line = (await page().catch(() => '')).split('\n').find((text) => text.startsWith(`${series} `));
    const value = line === undefined ? Number.NaN : Number(line.slice(series.length + 1));
    return wanted(value) ? value : undefined;
  });
}

async function call(headers: Readonly<Record<string, string>> = {}, key = testKey): Promise<Response> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'hello' }] }),
  });
  await response.arrayBuffer();
  return response;
}

const whole = 'gatelog_gateway_calls_total{outcome="complete",status="2xx",process="gateway-0"}';

describe('GET /metrics', () => {
  it('needs its own key where one is set, and no other', async () => {
    for (const headers of [{}, { authorization: `Bearer ${testKey}` }, { authorization: `Bearer ${metricsKey}x` }]) {
      expect((await fetch(`${service.api}/metrics`, { headers })).status).toBe(401);
    }
  });

  it('counts the outcomes of calls in every process', async () => {
    for (let count = 0; count < 3; count += 1) expect((await call()).status).toBe(200);
    expect((await call({}, 'sk-svc-us-nobodynobodynobodynobody')).status).toBe(401);
    expect((await call({ 'svc-omit-request': 'nonsense' })).status).toBe(422);
    const cached = { 'svc-cache-enabled': 'true', 'svc-ratelimit-policy': '2;w=600;s=user', 'svc-user-id': 'ann' };
    for (const cache of ['MISS', 'HIT']) expect((await call(cached)).headers.get('svc-cache')).toBe(cache);
    const [id] = [(await call({ 'svc-property-team': 'secret-team-name', 'svc-user-id': 'secret-user-name' })).headers.get('svc-id')];
    await apiClient(service.api).stored(id ?? '');
    for (const [series, least] of [
      [whole, 6],
      ['gatelog_gateway_refusals_total{code="invalid_key",process="gateway-0"}', 1],
      ['gatelog_gateway_refusals_total{code="invalid_directive",process="gateway-0"}', 1],
      ['gatelog_gateway_cache_total{result="hit",process="gateway-0"}', 1],
      ['gatelog_gateway_cache_total{result="miss",process="gateway-0"}', 1],
      ['gatelog_gateway_overhead_seconds_count{process="gateway-0"}', 7],
      ['gatelog_records_stored_total{process="core"}', 7],
      ['gatelog_visible_delay_seconds_count{process="core"}', 7],
      ['gatelog_batch_duration_seconds_count{process="core"}', 1],
      ['gatelog_api_request_seconds_count{endpoint="GET /v1/request/{id}",status="2xx",process="core"}', 1],
      ['gatelog_api_request_seconds_count{endpoint="GET /metrics",status="4xx",process="core"}', 3],
      ['gatelog_store_connections{lane="short",process="core"}', 1],
      ['gatelog_spool_max_bytes{process="core"}', 1],
      ['gatelog_dead_letter_max_bytes{process="core"}', 1],
      ['gatelog_dead_letters_kept{process="core"}', 0],
      ['gatelog_dead_letter_bytes{process="core"}', 0],
      ['gatelog_dead_letters_removed_total{reason="no_room",process="core"}', 0],
      ['gatelog_spool_bytes{process="core"}', 1],
      ['gatelog_ready{process="core"}', 1],
      ['gatelog_ready{process="gateway-0"}', 1],
      ['gatelog_gateway_call_duration_seconds_count{provider="ECHO",status="2xx",process="gateway-0"}', 5],
      ['gatelog_data_disk_free_bytes{process="core"}', 1],
      ['gatelog_data_disk_size_bytes{process="core"}', 1],
      ['gatelog_data_disk_spare_bytes{process="core"}', 1],
      ['gatelog_store_parts{process="core"}', 1],
      ['gatelog_store_bytes{process="core"}', 1],
      ['gatelog_store_merges{process="core"}', 0],
      ['gatelog_alert_incidents_open{process="core"}', 0],
      ...['core', 'supervisor', 'gateway-0'].flatMap((process): [string, number][] => [
        [`gatelog_process_resident_memory_bytes{process="${process}"}`, 1],
        [`gatelog_process_cpu_seconds_total{process="${process}"}`, 0.001],
        [`gatelog_process_event_loop_delay_seconds_count{process="${process}"}`, 1],
      ]),
    ] as const) {
      await reads(series, (value) => value >= least);
    }
    await reads('gatelog_spool_exchanges_waiting{process="core"}', (value) => value === 0);
    await reads('gatelog_spool_oldest_waiting_seconds{process="core"}', (value) => value === 0);
    expect(await page()).not.toContain('gatelog_spool_oldest_waiting_timestamp_seconds{');
  });

  it('shows nothing that a caller has sent but the names of models', async () => {
    const text = await page();
    const sent = ['secret-team-name', 'secret-user-name', testKey, 'nonsense'];
    expect(sent.filter((words) => text.includes(words))).toEqual([]);
    const unreadable = text.split('\n').filter((line) => !/^(# (HELP|TYPE) gatelog_\w+ .+|gatelog_\w+\{[^\n]*\} [\d.e+-]+|)$/.test(line));
    expect(unreadable).toEqual([]);
  });

  it('counts what organisations spend by model, from nothing again after a restart of the core', async () => {
    const series = async (name: string): Promise<number> => {
      const line = (await page()).split('\n').find((text) => text.startsWith(name) && text.includes('model="x"'));
      return Number(line?.split(' ').at(-1));
    };
    const before = await series('gatelog_recorded_requests_total{organization=');
    expect(before).toBeGreaterThanOrEqual(6);
    const { body } = await apiClient(service.api).call<readonly { readonly cost: number; readonly total_tokens: number }[]>(
      'POST',
      '/v1/metrics/query',
      {
        metrics: ['cost', 'total_tokens'],
        groupBy: ['model'],
      },
    );
    expect(await series('gatelog_cost_usd_total')).toBeCloseTo(body.data[0]?.cost ?? -1, 10);
    for (const pid of childrenNamed(service.pid, 'core')) process.kill(pid, 'SIGKILL');
    await eventually('the core to be back', async () => ((await page().catch(() => '')).includes('process="core"') ? true : undefined));
    expect(await page()).not.toContain('gatelog_cost_usd_total');
    const id = (await call()).headers.get('svc-id');
    await apiClient(service.api).stored(id ?? '');
    expect(await series('gatelog_recorded_requests_total{organization=')).toBe(1);
  });

  it('counts a call to a provider that there is not for none, whatever its record says', async () => {
    const body = JSON.stringify({ model: 'nosuch/gpt-4o', messages: [{ role: 'user', content: 'hello' }] });
    const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
    const refused = await fetch(`${service.gateway}/v1/chat/completions`, { method: 'POST', headers, body });
    const record = await apiClient(service.api).stored(refused.headers.get('svc-id') ?? '');
    expect([refused.status, record.provider]).toEqual([404, 'OPENAI']);
    const counted = (await page()).split('\n').filter((line) => line.includes('nosuch/gpt-4o') && line.includes('recorded_requests'));
    expect(counted.map((line) => line.replace(/organization="[^"]*",/, ''))).toEqual([
      'gatelog_recorded_requests_total{provider="none",model="nosuch/gpt-4o"} 1',
    ]);
  });

  it('shows nobody what organisations spend where it needs no key', async () => {
    const open = await startService({ dataDir: makeDataDir(), environment: { GATELOG_GATEWAY_WORKERS: '1' } });
    const response = await fetch(`${open.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'hello' }] }),
    });
    await apiClient(open.api).stored(response.headers.get('svc-id') ?? '');
    const text = await (await fetch(`${open.api}/metrics`)).text();
    await open.stop();
    removeDataDir(open.dataDir);
    expect(text).toMatch(/^gatelog_records_stored_total\{process="core"\} 1$/m);
    expect(text).not.toMatch(/gatelog_cost|organization=/);
  });

  it('is what GET /v1/health says in JSON, to any key that reads', async () => {
    const figures = await eventually('the worker and the supervisor to have told', async () => {
      const { status, body } = await apiClient(service.api).call<ServiceHealth>('GET', '/v1/health');
      expect(status).toBe(200);
      const isIdle = body.data.spool.exchanges_waiting === 0;
      return body.data.unrecorded_calls === null || body.data.restarts === null || !isIdle ? undefined : body.data;
    });
    expect(figures).toMatchObject({
      status: 'ok',
      failing: [],
      ingest: { draining: true },
      unrecorded_calls: { spool_full: 0, write_failed: 0 },
      dead_letters: { kept: 0 },
      deliveries: { pending: 0 },
      restarts: { gateway: 0, core: await reads('gatelog_process_exits_total{role="core",process="supervisor"}', (value) => value >= 0) },
    });
    expect(figures.disk?.free_bytes).toBeGreaterThan(0);
    expect(figures.disk?.size_bytes).toBe(await reads('gatelog_data_disk_size_bytes{process="core"}', (value) => value > 0));
    expect(figures.spool.max_bytes).toBe(await reads('gatelog_spool_max_bytes{process="core"}', (value) => value > 0));
    expect((await fetch(`${service.api}/v1/health`)).status).toBe(401);
  });

  it('counters keep their values when a worker or the core is killed, and both deaths are counted', async () => {
    const before = await reads(whole, (value) => value >= 6);
    for (const pid of childrenNamed(service.pid, 'gateway')) process.kill(pid, 'SIGKILL');
    await reads('gatelog_process_exits_total{role="gateway",process="supervisor"}', (value) => value === 1);
    await reads(whole, (value) => value >= before);
    await eventually('the gateway to be back', async () => ((await call().catch(() => undefined))?.status === 200 ? true : undefined));
    const after = await reads(whole, (value) => value > before);
    for (const pid of childrenNamed(service.pid, 'core')) process.kill(pid, 'SIGKILL');
    await reads('gatelog_process_exits_total{role="core",process="supervisor"}', (value) => value === 2);
    expect(await reads(whole, (value) => value >= after)).toBeGreaterThanOrEqual(after);
  });
});
