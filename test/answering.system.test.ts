import { readdirSync, readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import {
  childrenNamed,
  makeDataDir,
  removeDataDir,
  serviceEnvironment,
  type Service,
  startService,
  testKey,
  treeOf,
} from './support/process-tree.ts';
import { byLength } from './support/test-length.ts';

const folders: string[] = [];
/** Each test goes on with the service that the one before has left. */
let service: Service;
afterAll(async () => {
  await service?.killAll();
  folders.forEach(removeDataDir);
});

function freshFolder(): string {
  const dataDir = makeDataDir();
  folders.push(dataDir);
  return dataDir;
}

async function call({ gateway }: Service): Promise<string | undefined> {
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'echo/words', messages: [{ role: 'user', content: 'hi' }] }),
    signal: AbortSignal.timeout(1000),
  }).catch(() => undefined);
  await response?.arrayBuffer().catch(() => undefined);
  return response?.status === 200 ? (response.headers.get('svc-id') ?? '') : undefined;
}

/** Stops or crashes a process and waits for its successor. @returns how a call before and one after it are on record. */
async function recordsAfter(role: 'core' | 'gateway', signal: NodeJS.Signals): Promise<readonly (number | null)[]> {
  const running = service;
  const first = await eventually('a first call', () => call(running));
  const [hurt = 0] = childrenNamed(running.pid, role);
  process.kill(hurt, signal);
  // The default of `eventually` counts only time spent waiting; the start's own limit is ten times as long.
  await eventually(`another ${role}`, () => childrenNamed(running.pid, role).find((pid) => pid !== hurt), 20_000);
  const second = await eventually('a call', () => call(running));
  const api = apiClient(running.api);
  await eventually('the API', async () => ((await fetch(`${running.api}/readyz`).catch(() => undefined))?.ok === true ? true : undefined));
  return Promise.all([first, second].map(async (id) => (await api.stored(id ?? '')).response_status));
}

describe('with a limit of three seconds', () => {
  beforeAll(async () => {
    service = await startService({ dataDir: freshFolder(), environment: { GATELOG_PROCESS_SILENCE_MS: '3000' } });
  });

  it.each(['core', 'gateway'] as const)(
    'a %s that does not respond is restarted within the limit, and nothing is lost',
    async (role) => expect(await recordsAfter(role, 'SIGSTOP')).toEqual([200, 200]),
    120_000,
  );

  it('a service whose processes were restarted stops as any other', async () => {
    expect((await service.stop()).code).toBe(0);
  });
});

it.each(byLength(['SIGSEGV'] as const, ['SIGABRT', 'SIGSEGV'] as const))(
  'a core that crashes with %s is restarted long before it counts as silent, and nothing is lost',
  async (signal) => {
    await service.killAll();
    service = await startService({ dataDir: freshFolder(), environment: { GATELOG_PROCESS_SILENCE_MS: '3600000' } });
    expect(await recordsAfter('core', signal)).toEqual([200, 200]);
  },
  120_000,
);

it('a crash of any thread ends the core, because no signal of a crash has a handler', () => {
  const status = readFileSync(`/proc/${coreOf(service.pid) ?? 0}/status`, 'utf8');
  const caught = BigInt(`0x${/^SigCgt:\s*(\w+)$/m.exec(status)?.[1] ?? ''}`);
  const { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTERM, SIGTRAP } = constants.signals;
  const isCaught = (signal: number): boolean => ((caught >> BigInt(signal - 1)) & 1n) === 1n;
  expect(isCaught(SIGTERM)).toBe(true);
  expect([SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP].filter(isCaught)).toEqual([]);
});

/** The core's process id, as soon as the core exists. */
function coreOf(pid: number): number | undefined {
  return childrenNamed(pid, 'core')[0];
}

it.each(byLength([0, 200, 600], [0, 100, 200, 300, 400, 600, 800]))(
  'a supervisor that is killed %i ms after its children began leaves none of them',
  async (afterMs) => {
    const child = spawn(process.execPath, [path.resolve('dist/cli/main.js'), 'serve'], {
      env: serviceEnvironment({ dataDir: freshFolder() }),
      stdio: 'ignore',
    });
    const pid = child.pid ?? 0;
    await eventually('a core', () => coreOf(pid));
    await new Promise((resolve) => {
      setTimeout(resolve, afterMs);
    });
    const members = treeOf(pid);
    process.kill(pid, 'SIGKILL');
    const isGone = (): true | undefined => (members.every((member) => treeOf(member).length === 0) ? true : undefined);
    expect(await eventually('the whole tree to be gone', isGone, 30_000)).toBe(true);
  },
);

/** Node's own threads, including its pool. */
function nodeThreads(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).filter((thread) =>
    /^(?:node|libuv-worker)$/.test(readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim()),
  ).length;
}

it('a core that runs alone has as many threads for its files as one under a supervisor', async () => {
  const { dataDir } = service;
  const supervised = nodeThreads(coreOf(service.pid) ?? 0);
  expect((await service.stop()).code).toBe(0);
  const child = spawn(path.resolve('dist/cli/gatelog.cjs'), ['core'], {
    env: serviceEnvironment({ dataDir }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  await eventually('the core to listen', () => (said.includes('listening on') ? true : undefined));
  // A thread may begin or end between the two counts; a pool of Node's default size has twelve fewer.
  const isAsMany = (): true | undefined => (nodeThreads(child.pid ?? 0) >= supervised - 2 ? true : undefined);
  expect(await eventually('as many threads', isAsMany)).toBe(true);
  child.kill('SIGKILL');
});
