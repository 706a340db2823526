import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Sqlite from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
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

const dataDir = makeDataDir();
const file = path.join(dataDir, 'metadata.db');
let service: Service;
let api: ApiClient;

beforeAll(async () => {
  service = await startService({ dataDir, environment: { GATELOG_GATEWAY_WORKERS: '2', GATELOG_INGEST_BURST_MS: '0' } });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  removeDataDir(dataDir);
});

async function call(headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await response.arrayBuffer();
  return response;
}

/** @returns the identifier of a call that was answered and recorded. */
async function recordedCall(headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await call(headers);
  expect([response.status, response.headers.get('svc-recorded')]).toEqual([200, null]);
  return response.headers.get('svc-id') ?? '';
}

async function health(base: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${base}/readyz`);
  return { status: response.status, body: await response.json() };
}

describe('while another process has the write lock of the metadata database', () => {
  let holder: Sqlite.Database;

  beforeAll(() => {
    holder = new Sqlite(file);
    // The service may be writing at that moment.
    holder.exec('PRAGMA busy_timeout = 10000');
    holder.exec('BEGIN IMMEDIATE');
  });

  it('calls are taken, recorded and stored, with known keys and others, and unknown ones are refused', async () => {
    const made = execFileSync(process.execPath, [program, 'keys', 'list'], { env: serviceEnvironment({ dataDir }), encoding: 'utf8' });
    expect(made).toContain('sk-svc-us-');
    await api.stored(await recordedCall());
    expect((await call({ authorization: 'Bearer sk-svc-us-nobodynobodynobodynobodynobody' })).status).toBe(401);
  });

  it("a caller's own identifier costs the thread one wait, then none, and the response says that a fresh one was given", async () => {
    const chosen = '0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a';
    const responses = await Promise.all(Array.from({ length: 100 }, () => call({ 'svc-request-id': chosen })));
    // A wait for the lock takes a quarter of a second of the thread. Were each call to wait, the last one would wait for all of them, 12 s.
    const durations = responses.map(({ headers }) => Number(/gatelog;dur=([\d.]+)/.exec(headers.get('server-timing') ?? '')?.[1]));
    expect(Math.max(...durations)).toBeLessThan(6000);
    for (const response of responses) {
      expect([response.status, response.headers.get('svc-warning')]).toEqual([
        200,
        expect.stringContaining('could not be checked just now'),
      ]);
      expect(response.headers.get('svc-id')).not.toBe(chosen);
    }
  });

  it('a change of metadata is 503 with Retry-After, and the other endpoints answer meanwhile', async () => {
    const declared = api.call('PUT', '/v1/property/Team', {});
    for (let asked = 0; asked < 20; asked += 1) {
      expect((await api.call('POST', '/v1/request/count/query', { filter: 'all' })).status).toBe(200);
    }
    const { status, headers, body } = await declared;
    expect([status, body.code]).toEqual([503, 'metadata_unavailable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    const again = await api.call('PUT', '/v1/property/Team', {});
    expect(again.status).toBe(503);
  });

  it('both listeners are ready and report the database as degraded', async () => {
    const ofGateway = { status: 200, body: { status: 'ok', degraded: ['metadata'] } };
    expect(await healthOnce(service.gateway, ofGateway)).toEqual(ofGateway);
    const ofApi = { status: 200, body: { status: 'ok', failing: [], degraded: ['metadata'] } };
    expect(await healthOnce(service.api, ofApi)).toEqual(ofApi);
  });

  it('a worker and a core that die are restarted', async () => {
    const died = [...childrenNamed(service.pid, 'core'), ...childrenNamed(service.pid, 'gateway')];
    for (const pid of died) process.kill(pid, 'SIGKILL');
    await eventually(
      'the new processes to answer',
      async () => ((await isUp(service.gateway)) && (await isUp(service.api)) ? true : undefined),
      60_000,
    );
    const id = await recordedCall();
    expect((await api.stored(id)).request_id).toBe(id);
  });

  it('afterwards everything is as before, without help', async () => {
    holder.exec('ROLLBACK');
    holder.close();
    await eventually(
      'both to be well',
      async () =>
        JSON.stringify([(await health(service.gateway)).body, (await health(service.api)).body]) ===
        JSON.stringify([
          { status: 'ok', degraded: [] },
          { status: 'ok', failing: [], degraded: [] },
        ])
          ? true
          : undefined,
      60_000,
    );
    // Like a caller who was told to try again: a slow disk may require another wait.
    await eventually(
      'a change to be taken',
      async () => ((await api.call('PUT', '/v1/property/Team', {})).status === 200 ? true : undefined),
      60_000,
    );
    const chosen = '0b0b0b0b-0b0b-4b0b-8b0b-0b0b0b0b0b0b';
    expect(await recordedCall({ 'svc-request-id': chosen })).toBe(chosen);
  });
});

/** The health of a listener, once it equals `wanted`: on a busy machine another process may be late for a moment. */
async function healthOnce(base: string, wanted: Awaited<ReturnType<typeof health>>): Promise<unknown> {
  let told: unknown;
  const isTold = async (): Promise<true | undefined> => {
    told = await health(base);
    return isDeepStrictEqual(told, wanted) ? true : undefined;
  };
  await eventually('health to be told', isTold).catch(() => undefined);
  return told;
}

async function isUp(base: string): Promise<boolean> {
  return (await fetch(`${base}/readyz`, { headers: { connection: 'close' } }).catch(() => undefined))?.status === 200;
}

describe('while the file of the metadata database is away', () => {
  it('running processes continue; starting ones create no empty file, and come up when the file is back', async () => {
    renameSync(file, `${file}.away`);
    const [worker = 0] = childrenNamed(service.pid, 'gateway');
    const [core = 0] = childrenNamed(service.pid, 'core');
    process.kill(worker, 'SIGKILL');
    process.kill(core, 'SIGKILL');
    const ids: string[] = [];
    await eventually('both to have been refused', () => (refusals() >= 2 ? true : undefined), 30_000);
    for (let made = 0; made < 20; made += 1) ids.push(await recordedCall());
    expect(await health(service.gateway)).toEqual({ status: 200, body: { status: 'ok', degraded: ['core'] } });
    renameSync(`${file}.away`, file);
    await eventually('the core to be back', async () => ((await isUp(service.api)) ? true : undefined), 30_000);
    for (const id of ids) await api.stored(id);
    await eventually('the worker to be back', () => (childrenNamed(service.pid, 'gateway').length === 2 ? true : undefined), 30_000);
    for (let made = 0; made < 20; made += 1) await recordedCall();
  });
});

/** How often a process has reported that it cannot start. */
function refusals(): number {
  return service.output().split('There is no metadata database').length - 1;
}
