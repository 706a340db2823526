import { Agent, request as httpRequest, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { type FakeOpenAi, startFakeOpenAi, streamEvents } from './support/fake-openai.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

/** One call of the load and what its client received. */
interface CallOutcome {
  readonly id: string | undefined;
  readonly kind: 'json' | 'stream';
  /** The client received a complete response: by Content-Length, the terminal chunk, or `[DONE]`. */
  readonly whole: boolean;
}

const kills = 3;
const clients = 16;
const dataDir = makeDataDir();
let provider: FakeOpenAi;

beforeAll(async () => {
  provider = await startFakeOpenAi();
  // Long enough for every kill to hit some open streams.
  provider.behave((call, response) => {
    const body = JSON.parse(call.body.toString('utf8')) as { readonly stream?: boolean };
    if (body.stream === true) void streamSlowly(response);
    else {
      const text = JSON.stringify({
        id: 'chatcmpl-x',
        object: 'chat.completion',
        model: 'gpt-4o',
        choices: [],
        usage: { prompt_tokens: 1, completion_tokens: 1 },
      });
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    }
  });
});

afterAll(async () => {
  await provider.close();
  removeDataDir(dataDir);
});

async function streamSlowly(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of streamEvents()) {
    response.write(event);
    await wait(20);
  }
  response.end();
}

/** Makes one call and watches the response, whatever happens to the service. */
function callOnce(gateway: string, kind: CallOutcome['kind'], agent: Agent): Promise<CallOutcome> {
  return new Promise((resolve) => {
    let id: string | undefined;
    let text = '';
    let whole = false;
    const finish = (): void => resolve({ id, kind, whole: whole || (kind === 'stream' && text.includes('data: [DONE]\n\n')) });
    const request = httpRequest(
      `${gateway}/v1/chat/completions`,
      {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', authorization: 'Bearer sk-provider', 'svc-auth': `Bearer ${testKey}` },
      },
      (response) => {
        const header = response.headers['svc-id'];
        id = typeof header === 'string' ? header : undefined;
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString('utf8');
        });
        response.on('end', () => {
          whole = response.complete;
        });
        response.on('error', () => undefined);
        response.on('close', finish);
      },
    );
    request.on('error', finish);
    request.end(JSON.stringify({ model: 'gpt-4o', stream: kind === 'stream', messages: [{ role: 'user', content: 'x'.repeat(500) }] }));
  });
}

async function load(gateway: string, outcomes: CallOutcome[], running: () => boolean): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const client = async (index: number): Promise<void> => {
    while (running()) outcomes.push(await callOnce(gateway, index % 2 === 0 ? 'json' : 'stream', agent));
  };
  await Promise.all(Array.from({ length: clients }, (_unused, index) => client(index)));
  agent.destroy();
}

async function loadAndKill(outcomes: CallOutcome[], afterMs: number): Promise<void> {
  const service = await startService({ dataDir, environment: { GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl } });
  let running = true;
  const loading = load(service.gateway, outcomes, () => running);
  await wait(afterMs);
  running = false;
  await service.killAll();
  await loading;
}

/** Every stored identifier with its number of rows and its status. */
async function readAll(service: Service): Promise<Map<string, { count: number; status: number }>> {
  const api = apiClient(service.api);
  const all = new Map<string, { count: number; status: number }>();
  for (let offset = 0; ; offset += 1000) {
    const page = await api.query('all', { offset, limit: 1000 });
    for (const item of page) {
      const known = all.get(item.request_id);
      all.set(item.request_id, { count: (known?.count ?? 0) + 1, status: item.response_status });
    }
    if (page.length < 1000) return all;
  }
}

describe('kill -9 of the whole tree under load, then a new start', () => {
  it(`after ${kills} kills every complete response is stored exactly once, and open calls are recorded as broken off`, async () => {
    const outcomes: CallOutcome[] = [];
    for (let kill = 0; kill < kills; kill += 1) await loadAndKill(outcomes, 700 + Math.random() * 600);

    const service = await startService({ dataDir, environment: { GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl } });
    const whole = outcomes.filter((outcome) => outcome.whole);
    const broken = outcomes.filter((outcome) => !outcome.whole && outcome.id !== undefined);
    expect(whole.length).toBeGreaterThan(100);
    expect(broken.length).toBeGreaterThan(0);
    const known = outcomes.filter((outcome) => outcome.id !== undefined);
    const stored = await eventually(
      'all known exchanges to be stored',
      async () => {
        const all = await readAll(service);
        return known.every(({ id }) => id !== undefined && all.has(id)) ? all : undefined;
      },
      30_000,
    ).catch(() => readAll(service));

    const lost = whole.filter(({ id }) => id === undefined || !stored.has(id));
    const doubled = [...stored].filter(([, { count }]) => count !== 1);
    const wholeButBroken = whole.filter(({ id }) => id !== undefined && stored.get(id)?.status !== 200);
    const unseen = broken.filter(({ id }) => id !== undefined && !stored.has(id));
    process.stdout.write(
      `${whole.length} whole replies, ${broken.length} broken ones, ${stored.size} records; lost ${lost.length}, doubled ${doubled.length}\n`,
    );
    expect({ lost, doubled, wholeButBroken, unseen }).toEqual({ lost: [], doubled: [], wholeButBroken: [], unseen: [] });
    const brokenOff = broken.filter(({ id, kind }) => kind === 'stream' && id !== undefined && stored.get(id)?.status === 502);
    expect(brokenOff.length).toBeGreaterThan(0);
    const { code, ms } = await service.stop();
    expect(code).toBe(0);
    expect(ms).toBeLessThan(5000);
  });
});
