import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { eventually } from './support/eventually.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService } from './support/process-tree.ts';

const dataDir = makeDataDir();
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-settings-'));
const environmentFile = path.join(folder, '.env');
let service: Service | undefined;

afterEach(async () => {
  await service?.stop();
});
afterAll(() => {
  removeDataDir(dataDir);
  rmSync(folder, { recursive: true });
});

it('settings of .env and a secret of a file hold for all processes of a start, also for those that start later', async () => {
  const key = 'a-key-for-the-metrics';
  writeFileSync(path.join(folder, 'metrics-key'), `${key}\n`);
  writeFileSync(environmentFile, 'GATELOG_METRICS_KEY_FILE=metrics-key\nGATELOG_PROVIDER_OPENAI_URL=http://127.0.0.1:1/v1\n');
  service = await startService({ dataDir, cwd: folder });
  const { api, gateway, pid } = service;
  const statusOf = async (authorization: string): Promise<number> => (await fetch(`${api}/metrics`, { headers: { authorization } })).status;
  expect([await statusOf('none'), await statusOf(`Bearer ${key}`)]).toEqual([401, 200]);

  // A process that read them would not start.
  writeFileSync(environmentFile, 'GATELOG_NO_SUCH_SETTING=1\n');
  rmSync(path.join(folder, 'metrics-key'));
  for (const [role, address] of [
    ['gateway', gateway],
    ['core', api],
  ] as const) {
    const [before = 0] = childrenNamed(pid, role);
    process.kill(before, 'SIGKILL');
    await eventually(`another ${role}`, async () => {
      const isOther = childrenNamed(pid, role).some((child) => child !== before);
      return isOther && (await fetch(`${address}/readyz`).catch(() => undefined))?.status === 200 ? true : undefined;
    });
  }
  expect([await statusOf('none'), await statusOf(`Bearer ${key}`)]).toEqual([401, 200]);
});

it('variables that Kubernetes sets for a Service named gatelog are named in one line of the log', async () => {
  writeFileSync(environmentFile, '');
  const links = { GATELOG_SERVICE_HOST: '10.0.0.1', GATELOG_PORT: 'tcp://10.0.0.1:8787', GATELOG_PORT_8787_TCP_PROTO: 'tcp' };
  service = await startService({ dataDir, cwd: folder, environment: { ...links, GATELOG_LOG_LEVEL: 'info' } });
  const lines = service
    .output()
    .split('\n')
    .filter((line) => line.includes('service_links_ignored'));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([expect.objectContaining({ variables: Object.keys(links) })]);
});
