import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey, treeOf } from './support/process-tree.ts';

/** Each test goes on with the data folder, and most with the service, of the one before. */
const dataDir = makeDataDir();
let service: Service;

beforeAll(async () => {
  service = await startService({ dataDir });
});
afterAll(async () => {
  await service?.stop();
  removeDataDir(dataDir);
});

/** Threads of the store's engine. */
const engineThread = /^BgSchPool/;

/** Priorities of a process's threads by name, without threads that end meanwhile. */
function prioritiesOf(pid: number): { readonly name: string; readonly priority: number }[] {
  return threadsOf(pid).flatMap((thread) => {
    try {
      return [{ name: readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim(), priority: getPriority(Number(thread)) }];
    } catch {
      return [];
    }
  });
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

const isMerging = ({ name }: { readonly name: string }): boolean => name === 'MergeMutate';

function setOf(threads: readonly { readonly priority: number }[]): Set<number> {
  return new Set(threads.map(({ priority }) => priority));
}

/** Kills the core. @returns the process id of its successor, once that has engine threads. */
async function restartedCore({ pid }: Service): Promise<number> {
  const [core = 0] = childrenNamed(pid, 'core');
  process.kill(core, 'SIGKILL');
  return eventually('a core with an engine', () =>
    childrenNamed(pid, 'core').find((next) => next !== core && prioritiesOf(next).some(({ name }) => engineThread.test(name))),
  );
}

async function callEcho({ gateway }: Service): Promise<string> {
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'echo/words', messages: [{ role: 'user', content: 'merge' }] }),
  });
  await response.arrayBuffer();
  return response.headers.get('svc-id') ?? '';
}

async function untilReady({ api }: Service): Promise<void> {
  const ready = (): Promise<true | undefined> =>
    fetch(`${api}/readyz`).then(
      ({ ok }) => (ok ? true : undefined),
      () => undefined,
    );
  await eventually('the API to be ready', ready, 60_000);
}

it('the core starts with normal priority, then runs behind the gateway, and its merges run last', async () => {
  const core = await restartedCore(service);
  const starting = prioritiesOf(core).filter(({ name }) => engineThread.test(name));
  await untilReady(service);
  expect(setOf(starting)).toEqual(new Set([0]));
  const merging = await eventually('what merges to come last', () => {
    const threads = prioritiesOf(core).filter(isMerging);
    return threads.some(({ priority }) => priority === 19) ? threads : undefined;
  });
  expect(setOf(merging)).toEqual(new Set([19]));
  // Merges do not lower the priority of inserts and queries.
  const api = apiClient(service.api, testKey);
  let calls = 0;
  await eventually(
    'merges of some parts',
    async () => {
      const ids = await Promise.all(Array.from({ length: 20 }, () => callEcho(service)));
      calls += ids.length;
      await api.stored(ids.at(-1) ?? '');
      return calls >= 400 ? true : undefined;
    },
    120_000,
  );
  expect(setOf(prioritiesOf(core).filter((thread) => !isMerging(thread)))).toEqual(new Set([5]));
});

it('a core whose supervisor is killed while it starts ends, so that the next start finds the data folder free', async () => {
  const core = await restartedCore(service);
  const members = treeOf(service.pid);
  process.kill(service.pid, 'SIGKILL');
  await service.exited;
  await eventually('the whole tree to be gone', () => (members.some((pid) => treeOf(pid).length > 0) ? undefined : true), 30_000);
  expect(treeOf(core)).toEqual([]);
  service = await startService({ dataDir });
});

const partlyWritten = ['.secret.key', 'spool/.checkpoint.json', 'dead-letters/.000000000001-0123456789abcdef.letter'].map((name) =>
  path.join(dataDir, `${name}.${randomUUID()}`),
);

it('a service that is started again while a core of its earlier life still has the port and the folder waits for its end', async () => {
  const first = service;
  const environment = { GATELOG_GATEWAY_PORT: new URL(first.gateway).port, GATELOG_API_PORT: new URL(first.api).port };
  const [core = 0] = childrenNamed(first.pid, 'core');
  // A stopped core does not notice the death of its supervisor.
  process.kill(core, 'SIGSTOP');
  process.kill(first.pid, 'SIGKILL');
  await first.exited;
  for (const file of partlyWritten) {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, 'a secret of a customer', { mode: 0o600 });
  }
  const starting = startService({ dataDir, environment });
  // Long enough for a start that does not wait to have failed.
  setTimeout(() => process.kill(core, 'SIGKILL'), 3000);
  service = await starting;
  expect(treeOf(core)).toEqual([]);
  await untilReady(service);
});

it('the core removes partly written files that a kill has left', async () => {
  expect(partlyWritten.filter((file) => existsSync(file))).toEqual([]);
  expect((await service.stop()).code).toBe(0);
});
