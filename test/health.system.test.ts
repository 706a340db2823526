import { afterAll, beforeAll, expect, it } from 'vitest';
import { unrecordedOnceCounted } from './support/counted-calls.ts';
import { eventually } from './support/eventually.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { readCount } from './support/stored-records.ts';

const dataDir = makeDataDir();
let service: Service;
const given = { calls: 0, unrecorded: 0 };

beforeAll(async () => {
  service = await startService({ dataDir, environment: { GATELOG_SPOOL_MAX_BYTES: '16MiB', GATELOG_SPOOL_SEGMENT_BYTES: '1MiB' } });
});

afterAll(async () => {
  for (const pid of childrenNamed(service.pid, 'core')) process.kill(pid, 'SIGCONT');
  await service?.stop();
  removeDataDir(dataDir);
});

const health = async (base: string): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> => {
  const response = await fetch(`${base}/readyz`);
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
};

/** Writes about 0.8 MB of records. @returns whether the call is recorded. */
async function callIsRecorded(): Promise<boolean> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'x'.repeat(400_000) }] }),
  });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  const isRecorded = response.headers.get('svc-recorded') !== 'false';
  given.calls += 1;
  if (!isRecorded) given.unrecorded += 1;
  return isRecorded;
}

it('a stopped core leaves the gateway ready: its health reports the core, a filling spool and a full one, until the core continues', async () => {
  const well = { status: 200, body: { status: 'ok', degraded: [] } };
  // A gateway may be ready before it has heard of the core.
  await eventually(
    'the gateway to hear of the core',
    async () => (await health(service.gateway)).body['degraded']?.toString() === '' || undefined,
  );
  expect([await health(service.gateway), await health(service.api)]).toEqual([
    well,
    { status: 200, body: { status: 'ok', failing: [], degraded: [] } },
  ]);
  const cores = childrenNamed(service.pid, 'core');
  for (const pid of cores) process.kill(pid, 'SIGSTOP');
  expect(await health(service.gateway)).toEqual({ status: 200, body: { status: 'ok', degraded: ['core'] } });

  const told = new Set<unknown>();
  for (let calls = 0; calls < 60 && (await callIsRecorded()); calls += 1) {
    told.add(String((await health(service.gateway)).body['degraded']));
  }
  expect([...told]).toContain('spool_nearly_full,core');
  expect(await health(service.gateway)).toEqual({ status: 200, body: { status: 'ok', degraded: ['spool', 'core'] } });

  for (const pid of cores) process.kill(pid, 'SIGCONT');
  await eventually('everything to be well again', async () => {
    // The next call closes a full segment.
    await callIsRecorded();
    return (await health(service.gateway)).body['degraded']?.toString() === '' ? true : undefined;
  });
  expect(await callIsRecorded()).toBe(true);
  expect(given.unrecorded).toBeGreaterThan(0);
  expect(await unrecordedOnceCounted(service.api, given.calls)).toBe(given.unrecorded);
  const recorded = given.calls - given.unrecorded;
  await eventually('the others to be stored', async () => ((await readCount(service.api)) === recorded ? true : undefined));
});
