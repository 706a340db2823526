import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type ApiClient, apiClient } from './support/api.ts';
import { SeededRandom } from './support/seeded-random.ts';
import { type DiskFullOptions, type DiskFullRun, runDiskFull, waitForHealth } from './support/disk-full.ts';
import { mountSmallDisk } from './support/disk-room.ts';
import { eventually } from './support/eventually.ts';
import { noFindings } from './support/kill-verdict.ts';
import { metadataRow } from './support/metadata-row.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { byLength, inFull, testSeed } from './support/test-length.ts';

const folders = [makeDataDir(), makeDataDir(), makeDataDir(), makeDataDir()] as const;
const [spoolDataDir, storeDataDir, wholeDataDir, startDataDir] = folders;
const smallDisk = mountSmallDisk(path.join(storeDataDir, 'clickhouse'), 96 * 1024 * 1024);
const smallStartDisk = mountSmallDisk(path.join(startDataDir, 'clickhouse'), 96 * 1024 * 1024);
const smallSpoolDisk = mountSmallDisk(path.join(spoolDataDir, 'spool'), 48 * 1024 * 1024);
const smallWholeDisk = mountSmallDisk(wholeDataDir, 256 * 1024 * 1024);
let service: Service | undefined;
afterAll(async () => {
  await service?.stop();
  smallWholeDisk?.remove();
  smallDisk?.remove();
  smallStartDisk?.remove();
  smallSpoolDisk?.remove();
  folders.forEach(removeDataDir);
});

function usual(): Pick<DiskFullOptions, 'random' | 'callsPerSecond' | 'rounds' | 'fullMs'> {
  const seed = testSeed();
  process.stdout.write(`disk full, seed ${seed}\n`);
  return { random: new SeededRandom(seed), callsPerSecond: byLength(40, 80), rounds: byLength(1, 2), fullMs: 2500 };
}

const fullStore = {
  gateway: { status: 200, body: { status: 'ok', degraded: ['ingest', 'store_full'] } },
  api: { status: 503, body: { status: 'unavailable', failing: ['ingest'], degraded: ['store_full'] } },
};
const well = { status: 200, body: { status: 'ok', failing: [], degraded: [] } };

/** The metrics count exactly the calls that are not stored completely. */
function expectExactCount({ calls, countedUnrecorded, verdict }: DiskFullRun): void {
  expect(countedUnrecorded).toBe(calls - verdict.completeRecords);
}

inFull(() => {
  it.runIf(smallSpoolDisk !== undefined)(
    'on a full disk with the spool model calls continue, exactly the unrecorded responses say so, and recording resumes by itself, because only an administrator can make a small disk',
    async () => {
      const run = await runDiskFull({
        ...usual(),
        dataDir: spoolDataDir,
        diskOf: () => smallSpoolDisk ?? { fill: async () => undefined, free: () => undefined },
      });
      const { verdict, failedCalls, unrecorded, sameProcesses } = run;
      expect({ ...verdict.findings, failedCalls, sameProcesses }).toEqual({ ...noFindings, failedCalls: [], sameProcesses: true });
      expectExactCount(run);
      expect(unrecorded).toBeGreaterThan(byLength(15, 50));
      expect(verdict.responses).toBeGreaterThan(byLength(30, 100));
    },
    600_000,
  );
});

inFull(() => {
  it.runIf(smallDisk !== undefined)(
    'on a full disk with the store model calls continue and are all recorded; they are stored once there is space, without a restart, because only an administrator can make a small disk',
    async () => {
      const run = await runDiskFull({
        ...usual(),
        dataDir: storeDataDir,
        environment: { GATELOG_STORE_SPARE_BYTES: '32MiB' },
        healthWhileFull: fullStore,
        diskOf: () => smallDisk ?? { fill: async () => undefined, free: () => undefined },
      });
      const { verdict, failedCalls, unrecorded, sameProcesses } = run;
      expect({ ...verdict.findings, failedCalls, sameProcesses }).toEqual({ ...noFindings, failedCalls: [], sameProcesses: true });
      expectExactCount(run);
      expect(unrecorded).toBe(0);
    },
    600_000,
  );
});

it.runIf(smallWholeDisk !== undefined)(
  'on a full disk with the whole data folder and the shared state model calls continue, exactly the unrecorded responses say so, and the service recovers by itself, because only an administrator can make a small disk',
  async () => {
    const run = await runDiskFull({
      ...usual(),
      dataDir: wholeDataDir,
      environment: { GATELOG_STORE_SPARE_BYTES: '48MiB' },
      diskOf: () => smallWholeDisk ?? { fill: async () => undefined, free: () => undefined },
    });
    const { verdict, failedCalls, unrecorded, sameProcesses } = run;
    // The metadata database, which reserves the identifiers of callers, is on the full disk too.
    expect({ ...verdict.findings, replacedIds: [], failedCalls, sameProcesses }).toEqual({
      ...noFindings,
      failedCalls: [],
      sameProcesses: true,
    });
    expectExactCount(run);
    expect(unrecorded).toBeGreaterThan(byLength(15, 50));
  },
  600_000,
);

async function callOf(user: string, { gateway }: Service): Promise<string> {
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json', 'Svc-User-Id': user },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await response.arrayBuffer();
  expect([response.status, response.headers.get('svc-recorded')]).toEqual([200, null]);
  return response.headers.get('svc-id') ?? '';
}

const idsOf = async (api: ApiClient): Promise<readonly string[]> => (await api.query('all')).map(({ request_id: id }) => id).toSorted();

async function changeOf(id: string, api: ApiClient): Promise<number> {
  return (await api.call('PUT', `/v1/request/${id}/property`, { Changed: 'yes' })).status;
}

it.runIf(smallStartDisk !== undefined)(
  'on a full disk with the store changes are 503, an erasure waits and stored records are readable, also after a restart, which comes up and reports 503; everything continues once there is space, because only an administrator can make a small disk',
  async () => {
    const options = { dataDir: startDataDir, environment: { GATELOG_STORE_SPARE_BYTES: '32MiB', GATELOG_LOG_LEVEL: 'silent' } };
    const first = await startService(options);
    service = first;
    const [hers, his] = [await callOf('ann', first), await callOf('bob', first)];
    const api = apiClient(first.api);
    for (const id of [hers, his]) await api.stored(id);
    await smallStartDisk?.fill();
    await waitForHealth(first.api, fullStore.api);
    expect(await changeOf(his, api)).toBe(503);
    const order = fetch(`${first.api}/v1/user/ann`, { method: 'DELETE', headers: { Authorization: `Bearer ${testKey}` } });
    // The stop below cuts the connection.
    const answered = order.catch(() => undefined);
    await eventually('the order to be on record', () => metadataRow(startDataDir, 'SELECT number FROM erasures'));
    expect((await first.stop()).code).toBe(0);
    await answered;

    const second = await startService(options);
    service = second;
    const [core] = childrenNamed(second.pid, 'core');
    const again = apiClient(second.api);
    await waitForHealth(second.gateway, fullStore.gateway);
    await waitForHealth(second.api, fullStore.api);
    expect(await idsOf(again)).toEqual([hers, his].toSorted());
    expect(await changeOf(his, again)).toBe(503);
    const later = await callOf('bob', second);
    smallStartDisk?.free();
    await again.stored(later);
    await waitForHealth(second.api, well);
    await eventually('the erasure to end', () => metadataRow(startDataDir, "SELECT number FROM erasures WHERE stage = 'done'"));
    expect(await idsOf(again)).toEqual([his, later].toSorted());
    expect(await changeOf(his, again)).toBe(200);
    expect(childrenNamed(second.pid, 'core')).toEqual([core]);
  },
  600_000,
);
