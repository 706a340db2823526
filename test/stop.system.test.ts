import { spawn } from 'node:child_process';
import { Agent, request as httpRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { type Behaviour, type FakeOpenAi, startFakeOpenAi, streamEvents } from './support/fake-openai.ts';
import {
  childrenNamed,
  makeDataDir,
  program,
  removeDataDir,
  type Service,
  serviceEnvironment,
  startService,
  testKey,
  treeOf,
} from './support/process-tree.ts';

const dataDir = makeDataDir();
let provider: FakeOpenAi;
/** Ends the provider's open streams. */
let release: () => void = () => undefined;
let service: Service | undefined;

beforeAll(async () => {
  provider = await startFakeOpenAi();
});

/** Begins a stream that ends on `release`. */
const streams: Behaviour = (_call, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const [first = '', ...rest] = streamEvents();
  response.write(first);
  release = () => void response.end(rest.join(''));
};

afterEach(async () => {
  await service?.killAll();
});

afterAll(async () => {
  await provider.close();
  removeDataDir(dataDir);
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The text so far. */
  readonly text: () => string;
  /** `whole`, or `cut`. */
  readonly end: Promise<string>;
}

function send(gateway: string, path: string, agent: Agent | false = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'svc-auth': `Bearer ${testKey}`, authorization: 'Bearer sk-provider' };
    const method = path === '/readyz' ? 'GET' : 'POST';
    const request = httpRequest(gateway + path, { method, agent, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
      });
      const end = new Promise<string>((settle) => {
        response.on('error', () => undefined);
        response.on('close', () => settle(response.complete ? 'whole' : 'cut'));
      });
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: () => text, end });
    });
    request.on('error', reject);
    const body = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hi' }] };
    request.end(method === 'POST' ? JSON.stringify(body) : undefined);
  });
}

const chat = '/v1/chat/completions';

async function start(environment: Readonly<Record<string, string>> = {}): Promise<Service> {
  provider.behave(streams);
  service = await startService({ dataDir, environment: { GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl, ...environment } });
  return service;
}

/** Sends SIGTERM and waits until the gateway reports that it stops. */
async function terminate({ pid, gateway }: Service): Promise<void> {
  process.kill(pid, 'SIGTERM');
  await eventually('the gateway to be unready', async () => ((await send(gateway, '/readyz')).status === 503 ? true : undefined));
}

/** Calls of the tests, with the statuses of their records. */
const endedCalls: { readonly id: string; readonly status: number }[] = [];

function isRecordedAs(status: number, id: unknown): void {
  endedCalls.push({ id: String(id), status });
}

it('SIGTERM lets a running stream end complete and recorded; meanwhile no call is accepted and /readyz is 503', async () => {
  const running = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const kept = await send(running.gateway, '/readyz', agent);
  await kept.end;
  expect([kept.status, kept.headers['connection']]).toEqual([200, 'keep-alive']);
  const open = await send(running.gateway, chat);
  await terminate(running);
  const unready = await send(running.gateway, '/readyz');
  await unready.end;
  expect([unready.status, JSON.parse(unready.text())]).toEqual([503, { status: 'unavailable', degraded: ['stopping'] }]);
  for (const connection of [agent, false] as const) {
    const refused = await send(running.gateway, chat, connection);
    await refused.end;
    expect(refused).toMatchObject({ status: 503, headers: { connection: 'close', 'retry-after': '2' } });
    expect(JSON.parse(refused.text())).toMatchObject({ error: { code: 'stopping' } });
  }
  // The API answers as long as calls run.
  expect((await fetch(`${running.api}/readyz`)).status).toBe(200);
  release();
  expect(await open.end).toBe('whole');
  expect(open.text()).toContain('data: [DONE]\n\n');
  expect(await running.exited).toBe(0);
  expect(running.output()).toContain('Stopping, within 33 s: calls that run have 30 s to end;');
  isRecordedAs(200, open.headers['svc-id']);
});

it('a call that arrives before SIGTERM and is answered after it gets Connection: close', async () => {
  const running = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const calls = provider.seen.length;
  provider.behave((_call, response) => {
    release = () => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const answered = send(running.gateway, chat, agent);
  await eventually('the call at its provider', () => (provider.seen.length > calls ? true : undefined));
  await terminate(running);
  release();
  const { status, headers } = await answered;
  expect([status, headers['connection']]).toEqual([200, 'close']);
  expect(await running.exited).toBe(0);
});

it('a call that still runs after GATELOG_STOP_CALLS_MS is cut and recorded as broken off', async () => {
  const running = await start({ GATELOG_STOP_CALLS_MS: '1' });
  const open = await send(running.gateway, chat);
  process.kill(running.pid, 'SIGTERM');
  expect(await running.exited).toBe(0);
  expect(await open.end).toBe('cut');
  isRecordedAs(502, open.headers['svc-id']);
});

it('a second signal cuts the running calls at once, and no process of the tree remains', async () => {
  const running = await start({ GATELOG_STOP_CALLS_MS: '3600000' });
  const members = treeOf(running.pid);
  const open = await send(running.gateway, chat);
  await terminate(running);
  // A signal that arrives together with the first one does not count as a second: a terminal and npm may each send one.
  const again = setInterval(() => process.kill(running.pid, 'SIGTERM'), 200);
  // TRICKY: a signal in the last moment of Node's own exit would end the process like any program.
  void open.end.then(() => clearInterval(again));
  expect(await running.exited).toBe(0);
  expect(await open.end).toBe('cut');
  await eventually('the whole tree to be gone', () => (members.some((pid) => treeOf(pid).length > 0) ? undefined : true));
  isRecordedAs(502, open.headers['svc-id']);
});

it('SIGTERM to every process of the group, as a service manager sends it, lets calls end too', async () => {
  const running = await start();
  const open = await send(running.gateway, chat);
  for (const pid of treeOf(running.pid)) process.kill(pid, 'SIGTERM');
  await eventually('the gateway to be unready', async () => ((await send(running.gateway, '/readyz')).status === 503 ? true : undefined));
  expect((await fetch(`${running.api}/readyz`)).status).toBe(200);
  release();
  expect(await open.end).toBe('whole');
  expect(await running.exited).toBe(0);
  isRecordedAs(200, open.headers['svc-id']);
});

it('after a start, each of these calls is on record as it ended', async () => {
  const again = await start();
  const found = endedCalls.map(async ({ id }) => ({ id, status: (await apiClient(again.api).stored(id)).response_status }));
  expect(await Promise.all(found)).toEqual(endedCalls);
  expect(endedCalls.length).toBe(4);
  expect((await again.stop()).code).toBe(0);
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  '%s during the start ends the service at once, without an error and without remaining processes',
  async (signal) => {
    const starting = spawn(process.execPath, [program, 'serve'], {
      env: serviceEnvironment({ dataDir, environment: { GATELOG_LOG_LEVEL: 'error' } }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const pid = starting.pid ?? 0;
    const said = textOf(starting.stderr);
    const ended = new Promise((resolve) => starting.once('exit', (_code, by) => resolve(by)));
    await eventually('a gateway worker', () => childrenNamed(pid, 'gateway')[0]);
    const members = treeOf(pid);
    process.kill(pid, signal);
    expect(await ended).toBe(signal);
    // The pipe ends when the last process closes it, which is a moment before that process is gone.
    expect(await said).toBe('');
    await eventually('the whole tree to be gone', () => (members.some((member) => treeOf(member).length > 0) ? undefined : true));
  },
);
