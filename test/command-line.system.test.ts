import { execFile, execFileSync, type ExecFileException, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { type FakeOpenAi, startFakeOpenAi, streamEvents } from './support/fake-openai.ts';
import {
  childrenNamed,
  makeDataDir,
  program,
  removeDataDir,
  type Service,
  serviceEnvironment,
  startService,
  treeOf,
} from './support/process-tree.ts';
import { StolenTime } from './support/stolen-time.ts';

/** Each test goes on with the service that the one before has left. */
const dataDir = makeDataDir();
const refusedDir = makeDataDir();
let provider: FakeOpenAi;
let service: Service;
/** What the first start has printed. */
let key: string;

beforeAll(async () => {
  provider = await startFakeOpenAi();
});
afterAll(async () => {
  await service?.stop();
  await provider?.close();
  for (const folder of [dataDir, refusedDir]) removeDataDir(folder);
});

/** Starts on what the data folder has, without the key that other tests have. */
async function start(): Promise<void> {
  service = await startService({
    dataDir,
    environment: { GATELOG_BOOTSTRAP_API_KEY: '', GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl },
  });
}

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(words: readonly string[], environment: Readonly<Record<string, string>> = {}, folder = dataDir): Promise<CommandResult> {
  return new Promise((resolve) => {
    const env = serviceEnvironment({ dataDir: folder, environment });
    execFile(process.execPath, [program, ...words], { env, timeout: 60_000 }, (error: ExecFileException | null, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr });
    });
  });
}

async function callEcho(given = key): Promise<Response> {
  return fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${given}` },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'hi' }] }),
  });
}

async function keyWith(permissions: string): Promise<string> {
  return (await run(['keys', 'create', '--org', 'default', '--permissions', permissions])).stdout.trim();
}

async function readOn(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<void> {
  while ((await reader?.read())?.done === false);
}

describe('gatelog serve', () => {
  it('prints a curl line that works as pasted; a later start goes on with the same data and prints it with $GATELOG_API_KEY', async () => {
    await start();
    const line = /^ *(curl .*)$/m.exec(service.output())?.[1] ?? '';
    key = /^ *(sk-svc-us-\S+)$/m.exec(service.output())?.[1] ?? '';
    const response = execFileSync('bash', ['-c', `${line} -si`], { encoding: 'utf8' });
    expect(response).toContain('Hello, Gatelog!');
    const id = /svc-id: (\S+)/.exec(response)?.[1] ?? '';
    expect((await service.stop()).code).toBe(0);

    await start();
    expect(service.output()).not.toContain(key);
    const laterLine = /^ *(curl .*)$/m.exec(service.output())?.[1] ?? '';
    expect(laterLine).toContain('$GATELOG_API_KEY');
    expect(execFileSync('bash', ['-c', laterLine], { encoding: 'utf8', env: { ...process.env, GATELOG_API_KEY: key } })).toContain(
      'Hello, Gatelog!',
    );
    const item = await apiClient(service.api, key).stored(id);
    expect(item.properties).toEqual({ Team: 'demo' });
  });

  it('Ctrl-C in the middle of calls, even twice, ends with exit 0 within five seconds, and every answered call is stored', async () => {
    const running = service;
    const ids: string[] = [];
    const calling = (async (): Promise<void> => {
      for (;;) {
        const response = await callEcho().catch(() => undefined);
        if (response?.status !== 200) return;
        await response.text();
        ids.push(response.headers.get('svc-id') ?? '');
      }
    })().catch(() => undefined);
    await eventually('some calls', () => (ids.length > 20 ? true : undefined));
    const host = new StolenTime();
    process.kill(running.pid, 'SIGINT');
    const { code, ms } = await running.stop();
    host.stop();
    await calling;
    expect(code).toBe(0);
    // Measured in the time that the host left to this machine: where others take half of it, a deadline comes twice as soon.
    expect(ms * (1 - host.share())).toBeLessThan(5000);
    expect(running.output()).toContain(
      'Stopping, within 4.5 s: calls that run have 1.5 s to end; what still runs then is cut and recorded as broken off. Another Ctrl-C cuts it at once.',
    );
    await start();
    const api = apiClient(service.api, key);
    for (const id of ids) await api.stored(id);
  });

  it('a call that outlasts Ctrl-C is cut, and after a restart it is recorded as broken off, with the bytes that had passed', async () => {
    provider.behave((_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(streamEvents().slice(0, 2).join(''));
    });
    const open = await fetch(`${service.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'svc-auth': `Bearer ${key}`, authorization: 'Bearer sk-provider' },
      body: JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
    });
    const reader = open.body?.getReader();
    await reader?.read();
    const ending = readOn(reader).then(
      () => 'whole',
      () => 'cut',
    );
    expect((await service.stop()).code).toBe(0);
    expect(await ending).toBe('cut');
    await start();
    const api = apiClient(service.api, key);
    const id = open.headers.get('svc-id') ?? '';
    expect(await api.stored(id)).toMatchObject({ response_status: 502 });
    const { body } = await api.call('GET', `/v1/request/${id}?includeBody=true`);
    expect(JSON.stringify(body.data)).toContain('Grüße,');
  });

  it('a port in use is named, with the setting that changes it', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => {
      taken.listen(0, '127.0.0.1', resolve);
    });
    const { port } = taken.address() as AddressInfo;
    const refused = await run(['serve'], { GATELOG_GATEWAY_PORT: String(port) }, refusedDir);
    taken.close();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`Port ${port}`);
    expect(refused.stderr).toContain('GATELOG_GATEWAY_PORT');
  });
});

describe('beside a running service', () => {
  it('a second process on the same data folder is refused and names the first', async () => {
    const second = await run(['serve']);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain('in use by another Gatelog');
    expect(second.stderr).toContain(`process ${service.pid}`);
    // The spool is locked against a second core too.
    const core = await run(['core']);
    expect(core.code).not.toBe(0);
    expect(core.stderr).toContain(`(core, process ${childrenNamed(service.pid, 'core')[0]})`);
    expect((await callEcho()).status).toBe(200);
  });

  it('`gatelog requests` ends quietly when its reader leaves, as `| head -1` does', async () => {
    const calls = await Promise.all(Array.from({ length: 80 }, () => callEcho()));
    for (const call of calls) await apiClient(service.api, key).stored(call.headers.get('svc-id') ?? '');
    const line = `"${process.execPath}" "${program}" requests list --limit 80 --json | head -1 | wc -l; echo "\${PIPESTATUS[0]}"`;
    const env = serviceEnvironment({ dataDir, environment: { GATELOG_API_URL: service.api, GATELOG_API_KEY: key } });
    const shell = spawnSync('bash', ['-c', line], { encoding: 'utf8', env });
    expect([shell.stdout, shell.stderr]).toEqual(['1\n0\n', '']);
  });

  it('a new key works at once, and a revoked one stops', async () => {
    expect((await run(['orgs', 'create', 'acme'])).code).toBe(0);
    const given = (await run(['keys', 'create', '--org', 'acme', '--permissions', 'rw'])).stdout.trim();
    const response = await callEcho(given);
    expect(response.status).toBe(200);
    const id = response.headers.get('svc-id') ?? '';
    await apiClient(service.api, given).stored(id);
    // Another organisation's identifier is an unknown one.
    expect((await apiClient(service.api, key).call('GET', `/v1/request/${id}`)).status).toBe(404);
    expect((await apiClient(service.api, key).call('PUT', `/v1/request/${id}/property`, { a: 'b' })).status).toBe(404);

    expect((await run(['keys', 'revoke', given])).code).toBe(0);
    await eventually('the gateway to refuse the key', async () => ((await callEcho(given)).status === 401 ? true : undefined));
    await eventually('the API to refuse the key', async () =>
      (await apiClient(service.api, given).call('GET', `/v1/request/${id}`)).status === 401 ? true : undefined,
    );
  });

  it('a read-only key cannot send, a write-only key cannot read', async () => {
    expect((await callEcho(await keyWith('r'))).status).toBe(403);
    const writer = await keyWith('w');
    expect((await callEcho(writer)).status).toBe(200);
    expect((await apiClient(service.api, writer).call('POST', '/v1/request/query-clickhouse', { filter: {} })).status).toBe(403);
  });
});

it('restarts a killed core without a failed call, and a killed gateway worker; nothing outlives the supervisor', async () => {
  const running = service;
  const api = apiClient(running.api, key);
  const [core = 0] = childrenNamed(running.pid, 'core');
  // On a busy machine the core may be late with its first answer.
  await expect.poll(async () => (await fetch(`${running.gateway}/readyz`)).json()).toEqual({ status: 'ok', degraded: [] });
  process.kill(core, 'SIGSTOP');
  const degraded = await fetch(`${running.gateway}/readyz`);
  expect([degraded.status, await degraded.json()]).toEqual([200, { status: 'ok', degraded: ['core'] }]);
  process.kill(core, 'SIGKILL');
  const response = await callEcho();
  expect(response.status).toBe(200);
  const id = response.headers.get('svc-id') ?? '';
  const freshApi = await eventually(
    'the core to be back',
    async () => (await fetch(`${running.api}/readyz`).catch(() => undefined))?.status === 200 || undefined,
  );
  expect(freshApi).toBe(true);
  await api.stored(id);

  const [worker = 0] = childrenNamed(running.pid, 'gateway');
  process.kill(worker, 'SIGKILL');
  const afterRestart = await eventually(
    'a new gateway worker',
    async () => (await callEcho().catch(() => undefined))?.status === 200 || undefined,
  );
  expect(afterRestart).toBe(true);

  const children = treeOf(running.pid).filter((pid) => pid !== running.pid);
  process.kill(running.pid, 'SIGKILL');
  await eventually('the children to end', () => (children.every((pid) => treeOf(pid).length === 0) ? true : undefined));
});
