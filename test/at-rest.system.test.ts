import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

const dataDir = makeDataDir();
let service: Service;

beforeAll(async () => {
  // The second start finds the state and the records of the first.
  const first = await startService({ dataDir });
  await use(first);
  await first.stop();
  service = await startService({ dataDir });
  await use(service);
});

afterAll(async () => {
  await service.stop();
  removeDataDir(dataDir);
});

/** One call, and a query that finds it. */
async function use({ gateway, api }: Service): Promise<void> {
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'echo/words', messages: [{ role: 'user', content: 'rest' }] }),
  });
  await response.arrayBuffer();
  await apiClient(api, testKey).stored(response.headers.get('svc-id') ?? '');
}

/** The packages whose native libraries a process has mapped. */
function nativePackages(pid: number): readonly string[] {
  const files = readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .map((line) => line.slice(line.indexOf('/')))
    .filter((file) => /\.(?:node|so)$/.test(file) && file.includes('/node_modules/'));
  const packages = files.map((file) => file.split('/node_modules/').at(-1)?.split('/')[0] ?? path.basename(file));
  return [...new Set(packages)].toSorted();
}

describe('each process loads only the native libraries that it needs', () => {
  it('the supervisor has SQLite, for its locks', () => {
    expect(nativePackages(service.pid)).toEqual(['@libsql']);
  });

  it('a gateway worker has SQLite and the shared state with its packing', () => {
    const [gateway = 0] = childrenNamed(service.pid, 'gateway');
    expect(nativePackages(gateway)).toEqual(['@libsql', '@lmdb', '@msgpackr-extract']);
  });

  it('the core alone has the engine of the store, and what gives its pages back', async () => {
    const [core = 0] = childrenNamed(service.pid, 'core');
    const inCore = (): true | undefined => (nativePackages(core).includes('@koromix') ? true : undefined);
    await eventually('the core to rest', inCore, 120_000);
    expect(nativePackages(core)).toEqual(['@chdb', '@koromix', '@libsql', '@lmdb', '@msgpackr-extract']);
  });
});

/** Memory of a process in MB: what it has written, or what it has of files. */
function megabytes(pid: number, kind: 'RssAnon' | 'RssFile' | 'VmRSS'): number {
  return (Number(new RegExp(`^${kind}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6;
}

/** MB: a newer Node has more of its own in memory. */
const bounds = process.version.startsWith('v20.')
  ? { supervisor: 19, gateway: 55, supervisorInMemory: 70 }
  : { supervisor: 26, gateway: 62, supervisorInMemory: 86 };

describe('a process at rest gives back what its start and its calls took', () => {
  it.each([
    ['supervisor', bounds.supervisor],
    ['gateway', bounds.gateway],
  ] as const)(
    'the %s holds at most %i MB of its own',
    async (role, max) => {
      const [pid = 0] = role === 'supervisor' ? [service.pid] : childrenNamed(service.pid, role);
      const isSmall = (): true | undefined => (megabytes(pid, 'RssAnon') <= max ? true : undefined);
      expect(await eventually(`the ${role} to be small`, isSmall, 120_000)).toBe(true);
    },
    130_000,
  );

  it(`the supervisor has at most ${bounds.supervisorInMemory} MB in memory`, () => {
    expect(megabytes(service.pid, 'VmRSS')).toBeLessThanOrEqual(bounds.supervisorInMemory);
  });

  it('the core has at most 100 MB of files in memory, of 210 after its start', async () => {
    const [core = 0] = childrenNamed(service.pid, 'core');
    const isSmall = (): true | undefined => (megabytes(core, 'RssFile') <= 100 ? true : undefined);
    expect(await eventually('the core to be small', isSmall, 120_000)).toBe(true);
  }, 130_000);
});
