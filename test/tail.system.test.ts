import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { StreamReader, streamPath } from '../src/api/testing/event-stream.ts';
import { type CuttableProxy, startCuttableProxy } from './support/cuttable-proxy.ts';
import { eventually } from './support/eventually.ts';
import { childrenNamed, makeDataDir, program, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { stablePort } from './support/stable-port.ts';

const dataDir = makeDataDir();
const tails: Tail[] = [];
let environment: Record<string, string>;
let service: Service;
let proxy: CuttableProxy;

beforeAll(async () => {
  environment = {
    GATELOG_API_PORT: String(await stablePort()),
    GATELOG_GATEWAY_PORT: String(await stablePort()),
    GATELOG_INGEST_INTERVAL_MS: '50',
  };
  service = await startService({ dataDir, environment });
  proxy = await startCuttableProxy(service.api);
});
afterEach(() => {
  for (const tail of tails.splice(0)) tail.kill();
});
afterAll(async () => {
  await proxy.close();
  await service.stop();
  removeDataDir(dataDir);
});

/** `gatelog requests tail` as a process of its own. */
class Tail {
  stdout = '';
  stderr = '';
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(words: readonly string[], address = proxy.address) {
    const env = { PATH: process.env['PATH'] ?? '', GATELOG_API_URL: address, GATELOG_API_KEY: testKey };
    this.child = spawn(process.execPath, [program, 'requests', 'tail', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
    tails.push(this);
  }

  get lines(): readonly string[] {
    return this.stdout.split('\n').slice(0, -1);
  }

  /** Of its lines of JSON. */
  get ids(): readonly string[] {
    return this.lines.map((line) => (JSON.parse(line) as { readonly request_id: string }).request_id);
  }

  /** Waits until what is stored from now on is shown: a call without a record before it would not come. */
  async follows(): Promise<this> {
    await eventually('the stream to be open', async () => {
      await call('probe');
      return this.stdout === '' ? wait(100).then(() => undefined) : true;
    });
    return this;
  }

  async interrupt(): Promise<number | null> {
    this.child.kill('SIGINT');
    return this.ended;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

/** @returns the identifier of the call when it was answered whole. */
async function call(team: string, more: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
  try {
    const response = await fetch(`${service.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${testKey}`,
        'svc-properties': inHeader({ Team: team, ...more }),
      },
      body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'hi' }] }),
    });
    await response.text();
    return response.headers.get('svc-id') ?? undefined;
  } catch {
    return undefined;
  }
}

/** JSON in the characters that a header may have. */
function inHeader(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[^ -~]/gu, (character) =>
    [...Array(character.length).keys()].map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}

/** Calls of two teams until it is stopped. @returns a function that ends it and tells of the answered ones by team. */
function startTraffic(): () => Promise<Readonly<Record<string, readonly string[]>>> {
  const answered: Record<string, string[]> = { search: [], chat: [] };
  const stopping = new AbortController();
  const loops = Object.entries(answered).flatMap(([team, ids]) =>
    [1, 2].map(async () => {
      while (!stopping.signal.aborted) {
        const id = await call(team);
        if (id !== undefined) ids.push(id);
        await wait(20);
      }
    }),
  );
  return async () => {
    stopping.abort();
    await Promise.all(loops);
    return answered;
  };
}

const ofTeam = (team: string): unknown => ({ request_response_rmt: { properties: { Team: { equals: team } } } });

/** Everything that is stored and matches, in the order of storage. */
async function storedInOrder(filter: unknown, last: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${testKey}`, 'last-event-id': '0' };
  const reader = new StreamReader(await fetch(service.api + streamPath(filter), { headers }));
  await reader.until(() => reader.requests.some(({ item }) => item.request_id === last));
  await reader.leave();
  return reader.requests.map(({ item }) => item.request_id);
}

it('shows each matching request once, in the order of storage, over cut connections, kill -9 of the service and a restart', async () => {
  const [json, text] = [new Tail(['--json', '--property', 'Team=search']), new Tail(['--last', '0', '--where', 'properties.Team=search'])];
  await eventually('both to follow', async () => {
    await call('search');
    return (json.stdout !== '' && text.stdout !== '') || wait(100).then(() => undefined);
  });
  /** Each loss and each return is a line. */
  const toSay = (count: number): Promise<unknown> =>
    eventually(`both to say ${count} lines`, () => [json, text].every(({ stderr }) => stderr.split('\n').length > count) || undefined);
  const stop = startTraffic();
  await wait(1500);
  expect(proxy.cut()).toBeGreaterThanOrEqual(2);
  await toSay(2);
  const [core = 0] = childrenNamed(service.pid, 'core');
  process.kill(core, 'SIGKILL');
  await toSay(4);
  await wait(1000);
  await service.killAll();
  await eventually(
    'both to say that the service is lost',
    () => [json, text].every(({ stderr }) => /lost.*\n?$/.test(stderr)) || undefined,
  );
  service = await startService({ dataDir, environment });
  await toSay(6);
  await wait(1000);
  proxy.cut();
  await wait(1000);
  const { search = [] } = await stop();
  expect(search.length).toBeGreaterThan(50);

  let last = '';
  // What a killed gateway has left may be stored behind what comes after it.
  const stored = await eventually('all to be stored', async () => {
    last = (await call('search')) ?? '';
    const ids = await storedInOrder(ofTeam('search'), last);
    return search.every((id) => ids.includes(id)) ? ids : undefined;
  });
  await eventually('the last one to be shown', () => json.ids.includes(last) || undefined);
  expect(json.ids).toEqual(stored.slice(stored.indexOf(json.ids[0] ?? '')));
  await eventually(
    'as many lines for people',
    () => text.lines.filter((line) => line.includes('Team=search')).length >= json.ids.length - 2 || undefined,
  );
  expect(text.lines.every((line) => /^\d{4}-\d\d-\d\d$|^\d\d:\d\d:\d\d {2}200 {2}\S.*Team=search$/.test(line))).toBe(true);
  for (const { stderr } of [json, text]) {
    const news = stderr.trimEnd().split('\n');
    expect(news.length).toBeGreaterThanOrEqual(6);
    expect(news.map((line) => line.split(/[ :]/, 3).join(' '))).toEqual(
      news.map((_, index) => (index % 2 === 0 ? 'The connection is' : 'Connected again; what')),
    );
  }
});

it('ends in silence at Ctrl-C, and when its reader has left', async () => {
  const tail = new Tail(['--json'], service.api);
  await tail.follows();
  expect([await tail.interrupt(), tail.stderr]).toEqual([0, '']);

  const line = `${process.execPath} ${program} requests tail --json -n 1 | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const shell = spawn('bash', ['-c', line], {
    env: { PATH: process.env['PATH'] ?? '', GATELOG_API_URL: service.api, GATELOG_API_KEY: testKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  shell.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  shell.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise((resolve) => shell.once('close', resolve));
  const state = { isOver: false };
  void ended.finally(() => (state.isOver = true));
  await eventually('the pipe to end', async () => {
    await call('probe');
    await wait(100);
    return state.isOver || undefined;
  });
  expect([out.trimEnd().split('\n').at(-1), err]).toEqual(['0', '']);
});

it('begins with the last ones, each once, and no stored text moves the cursor', async () => {
  const hostile = 'a\u001b[2Jb\u009b31mc\u202ed\r\ne';
  const ids = [await call('hostile', { Note: hostile }), await call('hostile', { Note: '端口 😀' })];
  await eventually('both to be stored', async () => (await storedCount('hostile')) === 2 || undefined);
  const [text, json] = [
    new Tail(['-n', '5', '--property', 'Team=hostile'], service.api),
    new Tail(['-n', '5', '--property', 'Team=hostile', '--json'], service.api),
  ];
  await eventually('both to be shown', () => (text.lines.length === 3 && json.lines.length === 2) || undefined);
  ids.push(await call('hostile'));
  await eventually('the third to be shown', () => (text.lines.length === 4 && json.lines.length === 3) || undefined);
  expect(json.ids).toEqual(ids);
  expect(text.lines[1]).toMatch(/ {2}200 {2}x .* Note=a�\[2Jb�31mc�d��e$/u);
  expect(text.lines[2]).toContain('Note=端口 😀');
  expect(/[\p{Cc}\u202e]/u.test(text.lines.join('') + json.lines.join(''))).toBe(false);
  const [first = ''] = json.lines;
  expect((JSON.parse(first) as { properties: Record<string, string> }).properties['Note']).toBe(hostile);
});

async function storedCount(team: string): Promise<number> {
  const response = await fetch(`${service.api}/v1/request/count/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}` },
    body: JSON.stringify({ filter: ofTeam(team) }),
  });
  return ((await response.json()) as { readonly data: number }).data;
}

it('ends after as many as were asked for', async () => {
  const [earlier, next] = [new Tail(['--max', '1', '-n', '1'], service.api), new Tail(['--max', '1', '--json'], service.api)];
  expect([await earlier.ended, earlier.lines.length, earlier.stderr]).toEqual([0, 2, '']);
  await eventually('the next one', async () => {
    await call('probe');
    await wait(100);
    return next.lines.length > 0 || undefined;
  });
  expect([await next.ended, next.lines.length, next.stderr]).toEqual([0, 1, '']);
});

it.each([
  [['--filter', '{oops'], 2, '--filter is neither "all" nor JSON'],
  [['--filter', '{"request_response_rmt":{"modle":{"equals":"x"}}}'], 2, 'modle'],
  [['-n', 'many'], 2, 'whole number from 0 to 1000'],
  [['--timezone', 'Atlantis'], 2, '--timezone takes a name such as Europe/Berlin'],
])('refuses %j with exit code %i', async (words, code, sentence) => {
  const tail = new Tail(words, service.api);
  expect(await tail.ended).toBe(code);
  expect([tail.stdout, tail.stderr]).toEqual(['', expect.stringContaining(sentence)]);
});

it('says where nothing answers, and of a key that may not read', async () => {
  const nobody = new Tail([], 'http://127.0.0.1:9');
  expect([await nobody.ended, nobody.stderr]).toEqual([5, expect.stringContaining('No Gatelog answers at http://127.0.0.1:9')]);
  const gateway = new Tail([], service.gateway);
  expect([await gateway.ended, gateway.stderr]).toEqual([5, expect.stringContaining('is not the API of Gatelog')]);
});
