import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StreamReader, streamPath } from '../src/api/testing/event-stream.ts';
import { apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { completion, type FakeOpenAi, startFakeOpenAi, streamEvents } from './support/fake-openai.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { stablePort } from './support/stable-port.ts';
import { byLength } from './support/test-length.ts';

const dataDir = makeDataDir();
let provider: FakeOpenAi;
let environment: Record<string, string>;
let service: Service;

beforeAll(async () => {
  provider = await startFakeOpenAi();
  provider.behave(({ body }, response) => {
    const { stream, user } = JSON.parse(body.toString('utf8')) as { readonly stream?: boolean; readonly user?: string };
    if (stream === true) void streamSlowly(response, Number(user));
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion));
  });
  environment = {
    GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
    GATELOG_API_PORT: String(await stablePort()),
    GATELOG_GATEWAY_PORT: String(await stablePort()),
    GATELOG_GATEWAY_WORKERS: '2',
  };
  service = await startService({ dataDir, environment });
});

afterAll(async () => {
  await service.stop();
  await provider.close();
  removeDataDir(dataDir);
});

async function streamSlowly(response: ServerResponse, totalMs: number): Promise<void> {
  const events = streamEvents();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    if (response.destroyed) return;
    response.write(event);
    await wait(totalMs / events.length);
  }
  response.end();
}

/** Makes a call. @returns its identifier when it was answered whole. */
async function call(given: { readonly longMs?: number; readonly team: string }): Promise<string | undefined> {
  try {
    const response = await fetch(`${service.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer sk-provider',
        'svc-auth': `Bearer ${testKey}`,
        'svc-properties': JSON.stringify({ Team: given.team }),
      },
      body: JSON.stringify({ model: 'gpt-4o', stream: given.longMs !== undefined, user: String(given.longMs ?? 0), messages: [] }),
    });
    await response.text();
    return response.status === 200 ? (response.headers.get('svc-id') ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** A client that connects again with the last position whenever its stream ends. */
class Follower {
  readonly ids: string[] = [];
  readonly positions: number[] = [];
  connections = 0;
  private readonly leaving = new AbortController();
  private current: StreamReader | undefined;
  private lastPosition = '';
  private readonly filter: unknown;
  private readonly pauseMs: number;
  private readonly following: Promise<void>;

  constructor(filter: unknown, pauseMs = 0) {
    this.filter = filter;
    this.pauseMs = pauseMs;
    this.following = this.follow();
  }

  /** Breaks the connection. */
  async drop(): Promise<void> {
    await this.current?.leave();
  }

  async leave(): Promise<void> {
    this.leaving.abort();
    await this.following;
  }

  private async follow(): Promise<void> {
    while (!this.leaving.signal.aborted) {
      try {
        await this.connect();
      } catch {
        await wait(50);
      }
    }
  }

  private async connect(): Promise<void> {
    const headers = { authorization: `Bearer ${testKey}`, ...(this.lastPosition === '' ? {} : { 'last-event-id': this.lastPosition }) };
    const reader = new StreamReader(await fetch(service.api + streamPath(this.filter), { headers, signal: this.leaving.signal }));
    this.current = reader;
    this.connections += 1;
    let taken = 0;
    let isOpen = true;
    while (isOpen) {
      const before = reader.lastPosition;
      try {
        isOpen = await reader.until(() => reader.lastPosition !== before);
      } finally {
        for (const { item, position } of reader.requests.slice(taken)) {
          this.ids.push(item.request_id);
          this.positions.push(Number(position));
        }
        taken = reader.requests.length;
        this.lastPosition = reader.lastPosition === '' ? this.lastPosition : reader.lastPosition;
      }
      if (this.pauseMs > 0) await wait(this.pauseMs);
    }
  }
}

interface Traffic {
  readonly answered: string[];
  readonly stop: () => Promise<void>;
}

/** Short calls all the time, and long ones that end among later short ones. */
function startTraffic(): Traffic {
  const answered: string[] = [];
  const stopping = new AbortController();
  const loop = async (given: Parameters<typeof call>[0]): Promise<void> => {
    while (!stopping.signal.aborted) {
      const id = await call(given);
      if (id !== undefined) answered.push(id);
      await wait(byLength(40, 5));
    }
  };
  const loops = [
    ...Array.from({ length: 6 }, (_, index) => loop({ team: index % 2 === 0 ? 'search' : 'chat' })),
    ...Array.from({ length: 6 }, (_, index) => loop({ team: index % 2 === 0 ? 'search' : 'chat', longMs: 700 + 600 * index })),
  ];
  return {
    answered,
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function killCore(): Promise<void> {
  const [core] = childrenNamed(service.pid, 'core');
  if (core === undefined) throw new Error('there is no core');
  process.kill(core, 'SIGKILL');
  await eventually(
    'the core to be back',
    async () => (await fetch(`${service.api}/readyz`).catch(() => undefined))?.ok === true || undefined,
  );
}

/** Every stored request, by the export. */
async function storedIds(filter: unknown): Promise<readonly string[]> {
  const response = await fetch(`${service.api}/v1/export?columns=request_id&filter=${encodeURIComponent(JSON.stringify(filter))}`, {
    headers: { authorization: `Bearer ${testKey}` },
  });
  // None while no record is stored: an export ends before the oldest call whose record is still to come.
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { request_id: string }).request_id).toSorted();
}

const ofSearch = { request_response_rmt: { properties: { Team: { equals: 'search' } } } };

it('followers get each request once, over lost connections, restarts and kills, long calls and slow readers', async () => {
  const all = new Follower('all');
  const search = new Follower(ofSearch);
  const slow = new Follower('all', 120);
  const followers = [all, search, slow];
  await eventually('the followers to be connected', () => followers.every(({ connections }) => connections > 0) || undefined);
  const traffic = startTraffic();
  for (let round = 0; round < byLength(1, 2); round += 1) {
    await wait(2500);
    await killCore();
    await wait(2500);
    for (const follower of followers) await follower.drop();
    await wait(1500);
  }
  await service.killAll();
  service = await startService({ dataDir, environment });
  await wait(2500);
  await service.stop();
  service = await startService({ dataDir, environment });
  await wait(1500);
  await traffic.stop();
  // Records of one worker may be stored after later ones of another.
  await eventually('every answered call to be stored', async () => {
    const stored = new Set(await storedIds('all'));
    return traffic.answered.every((id) => stored.has(id)) || undefined;
  });
  const [stored, storedOfSearch] = [await storedIds('all'), await storedIds(ofSearch)];
  const isWhole = (): boolean =>
    all.ids.length >= stored.length && slow.ids.length >= stored.length && search.ids.length >= storedOfSearch.length;
  await eventually('everything to come', () => isWhole() || undefined).catch(() => undefined);
  for (const follower of followers) await follower.leave();
  for (const { positions } of followers) expect(positions).toEqual([...new Set(positions)].toSorted((left, right) => left - right));
  expect(all.ids.toSorted()).toEqual(stored);
  expect(slow.ids.toSorted()).toEqual(stored);
  expect(search.ids.toSorted()).toEqual(storedOfSearch);
  expect(traffic.answered.length).toBeGreaterThan(byLength(100, 500));
  expect(traffic.answered.filter((id) => !all.ids.includes(id))).toEqual([]);
  for (const { connections } of followers) expect(connections).toBeGreaterThan(3);
});

it('a revoked key ends its stream within seconds', async () => {
  const api = apiClient(service.api);
  const made = await api.call<{ readonly id: string; readonly apiKey: string }>('POST', '/v1/api-keys', {
    api_key_name: 'viewer',
    key_permissions: 'r',
  });
  const { id, apiKey } = made.body.data;
  const reader = new StreamReader(await fetch(service.api + streamPath(), { headers: { authorization: `Bearer ${apiKey}` } }));
  await reader.until(() => reader.lastPosition !== '');
  await api.call('DELETE', `/v1/api-keys/${id}`);
  const since = performance.now();
  await reader.untilEnd();
  expect(reader.end).toMatchObject({ code: 'invalid_key' });
  expect(performance.now() - since).toBeLessThan(15_000);
});

it('a call comes soon after its end, and the service stops although a stream is open', async () => {
  const reader = new StreamReader(await fetch(service.api + streamPath(), { headers: { authorization: `Bearer ${testKey}` } }));
  await reader.until(() => reader.lastPosition !== '');
  await call({ team: 'search' });
  const since = performance.now();
  await reader.ids(1);
  // Under a second on a machine at rest; tests share theirs.
  expect(performance.now() - since).toBeLessThan(5000);
  const [{ code }] = await Promise.all([service.stop(), reader.untilEnd()]);
  expect([code, reader.end]).toEqual([0, undefined]);
});
