import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClient, parseResponse, type RawClient, requestText } from '../src/gateway/testing/raw-http.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { type FakeOpenAi, startFakeOpenAi } from './support/fake-openai.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

const dataDir = makeDataDir();
const usual = 4096;
/** Descriptors that are left for connections, and the number of connections that come. */
const spareDescriptors = 30;
const clients = 120;
let provider: FakeOpenAi;
let service: Service;
let api: ApiClient;

beforeAll(async () => {
  provider = await startFakeOpenAi();
  service = await startService({
    dataDir,
    environment: {
      GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
      GATELOG_SPOOL_SEGMENT_BYTES: '1MiB',
      GATELOG_INGEST_BURST_MS: '0',
    },
  });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

function workerPid(): number {
  return childrenNamed(service.pid, 'gateway')[0] ?? 0;
}

function limitDescriptors(pid: number, most: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most}:${usual}`]);
}

function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Connections to a listener that are still open a moment later; the listener closes those it could not accept. */
async function holdConnections(base: string, pid: number, most: number): Promise<RawClient[]> {
  const opened = await Promise.all(Array.from({ length: clients }, () => openClient(Number(new URL(base).port)).catch(() => undefined)));
  await eventually('the descriptors to be used up', () => (descriptorsOf(pid) >= most - 2 ? true : undefined));
  return opened.filter((client) => client !== undefined);
}

/** Limits a process to a few descriptors more than it has open. @returns the limit. */
function shorten(pid: number): number {
  const most = descriptorsOf(pid) + spareDescriptors;
  limitDescriptors(pid, most);
  return most;
}

const large = JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'x'.repeat(200_000) }] });
const chat = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] });

/** One call on an open connection. @returns the response; undefined when the connection was closed. */
async function callOn(client: RawClient, body: string): Promise<ReturnType<typeof parseResponse>> {
  const before = client.received().length;
  client.send(
    requestText(
      'POST /v1/chat/completions',
      ['Content-Type: application/json', 'Authorization: Bearer sk-provider', `Svc-Auth: Bearer ${testKey}`],
      body,
    ),
  );
  return eventually(
    'a reply, or the end of the connection',
    () => {
      const response = parseResponse(client.received().subarray(before));
      if (response?.isComplete === true) return { response };
      return client.isClosed() ? { response: undefined } : undefined;
    },
    60_000,
  ).then(({ response }) => response);
}

/** Processor time of the worker, as last reported. */
async function cpuSeconds(): Promise<number> {
  const page = await (await fetch(`${service.api}/metrics`)).text();
  return Number(/^gatelog_process_cpu_seconds_total\{process="gateway-0"\} (\S+)$/m.exec(page)?.[1] ?? 0);
}

async function reportedSince(before: number): Promise<number | undefined> {
  const now = await cpuSeconds();
  return now > before ? now : undefined;
}

describe('a gateway worker without descriptors', () => {
  const ids: string[] = [];
  let worker = 0;
  let held: RawClient[] = [];
  let accepted: RawClient[] = [];

  it('serves and records what it has accepted, and its spool goes on past the size of a segment', async () => {
    worker = workerPid();
    held = await holdConnections(service.gateway, worker, shorten(worker));
    const responses = await Promise.all(held.map((client) => callOn(client, large)));
    accepted = held.filter((_client, index) => responses[index] !== undefined);
    const served = responses.filter((response) => response !== undefined);
    expect(served.length).toBeGreaterThan(10);
    for (const response of served) {
      expect([response.status, response.header('svc-recorded')]).toEqual([200, undefined]);
      ids.push(response.header('svc-id') ?? '');
    }
    expect(workerPid()).toBe(worker);
  });

  it('a call for which there is no connection to its provider fails for its client, and is on record', async () => {
    const responses = await Promise.all(accepted.map((client) => callOn(client, chat)));
    const statuses = responses.map((response) => response?.status);
    expect(statuses.filter((status) => status !== 200 && status !== 502)).toEqual([]);
    expect(statuses).toContain(502);
    for (const response of responses) ids.push(response?.header('svc-id') ?? '');
  });

  it('goes on measuring itself', async () => {
    const before = await cpuSeconds();
    expect(await eventually('the worker to report again', async () => reportedSince(before))).toBeGreaterThan(before);
  });

  it('recovers once its clients have gone, and every served call is recorded', async () => {
    for (const { socket } of held) socket.destroy();
    const status = await eventually('a call on a new connection', async () => {
      const client = await openClient(Number(new URL(service.gateway).port));
      const response = await callOn(client, chat).finally(() => client.socket.destroy());
      if (response?.status !== 200) return undefined;
      ids.push(response.header('svc-id') ?? '');
      return response.status;
    });
    expect(status).toBe(200);
    for (const id of ids) await api.stored(id);
    expect(workerPid()).toBe(worker);
    limitDescriptors(workerPid(), usual);
  });
});

it('a core without descriptors keeps running, and stores the calls of that time once it has descriptors again', async () => {
  const [core = 0] = childrenNamed(service.pid, 'core');
  const held = await holdConnections(service.api, core, shorten(core));
  const client = await openClient(Number(new URL(service.gateway).port));
  const ids: string[] = [];
  for (let made = 0; made < 10; made += 1) {
    const response = await callOn(client, large);
    expect([response?.status, response?.header('svc-recorded')]).toEqual([200, undefined]);
    ids.push(response?.header('svc-id') ?? '');
  }
  await eventually('the ingest to have failed', () => (service.output().includes('"kind":"batch_failed"') ? true : undefined));
  // Each thread of the store needs three descriptors: those that the clients free are not enough.
  limitDescriptors(core, usual);
  for (const { socket } of [...held, client]) socket.destroy();
  for (const id of ids) await api.stored(id, 30_000);
  expect(childrenNamed(service.pid, 'core')).toEqual([core]);
});
