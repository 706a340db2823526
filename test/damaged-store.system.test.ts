import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { gatelog } from './support/command.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

const dataDir = makeDataDir();

afterAll(() => removeDataDir(dataDir));

/** @returns the identifier of the call's record. */
async function call({ gateway }: Service): Promise<string> {
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'hello' }] }),
  });
  await response.arrayBuffer();
  return response.headers.get('svc-id') ?? '';
}

/** Folders of the parts of the table `requests`, found by a column that only this table has. */
function partsOfRequests(): readonly string[] {
  return readdirSync(path.join(dataDir, 'clickhouse', 'store'), { recursive: true, encoding: 'utf8' })
    .filter((name) => path.basename(name) === 'columns.txt')
    .map((name) => path.join(dataDir, 'clickhouse', 'store', name))
    .filter((file) => readFileSync(file, 'utf8').includes('`feedback_rating`'))
    .map((file) => path.dirname(file));
}

async function readiness({ api }: Service): Promise<unknown> {
  const response = await fetch(`${api}/readyz`);
  return [response.status, await response.json()];
}

it('a damaged file fails the queries that need it with store_damaged; other queries work, and the part can be set aside', async () => {
  const service = await startService({ dataDir });
  const api = apiClient(service.api);
  const lost = await call(service);
  await api.stored(lost);
  const [folder = '', ...more] = partsOfRequests();
  expect(more).toEqual([]);
  const kept = await call(service);
  const { request_created_at: keptAt } = await api.stored(kept);
  expect(await gatelog(dataDir, 'store', 'check')).toMatchObject({ code: 0, stdout: '' });

  const file = path.join(folder, 'data.bin');
  // Flips bits in every checksummed block of the file.
  writeFileSync(file, Buffer.from(readFileSync(file).map((byte, at) => (at % 8 === 0 ? byte ^ 1 : byte))));
  const part = `requests/${path.basename(folder)}`;
  const failed = await api.call('POST', '/v1/request/query-clickhouse', { filter: 'all' });
  expect([failed.status, failed.body.code]).toEqual([500, 'store_damaged']);
  expect(JSON.stringify(failed.body)).not.toContain(dataDir);
  const sinceKept = { request_response_rmt: { request_created_at: { gte: keptAt } } };
  expect((await api.query(sinceKept)).map((request) => request.request_id)).toEqual([kept]);
  await eventually('the damage to be known', async () => JSON.stringify(await readiness(service)).includes('store_damaged') || undefined);
  expect(await readiness(service)).toEqual([200, { status: 'ok', failing: [], degraded: ['store_damaged'] }]);
  const told = `"table":"requests","part":"${path.basename(folder)}","rows":1,"msg":"store_part_damaged"`;
  await eventually('the log to say which part', () => service.output().includes(told) || undefined);
  const metrics = await (await fetch(`${service.api}/metrics`)).text();
  expect(metrics.split('\n').filter((line) => line.startsWith('gatelog_store_damaged_parts{'))).toEqual([
    'gatelog_store_damaged_parts{state="in_use",process="core"} 1',
    'gatelog_store_damaged_parts{state="lost",process="core"} 0',
  ]);

  const checked = await gatelog(dataDir, 'store', 'check');
  expect(checked.code).toBe(1);
  expect(checked.stdout).toMatch(new RegExp(`^PART +ROWS +STATE +REASON\n${part} +1 +damaged +engine error \\d+\n$`));
  expect((await gatelog(dataDir, 'store', 'set-aside', 'requests/190001_1_1_0')).code).toBe(1);
  const aside = await gatelog(dataDir, 'store', 'set-aside', part);
  expect(aside.code).toBe(0);
  expect(existsSync(path.join(aside.stdout.trim(), 'data.bin'))).toBe(true);
  expect(aside.stderr).toMatch(/^1 requests went with it and are in no answer any more\. A backup from before the damage has them/);

  expect((await api.query('all')).map((request) => request.request_id)).toEqual([kept]);
  expect(await readiness(service)).toEqual([200, { status: 'ok', failing: [], degraded: [] }]);
  expect((await gatelog(dataDir, 'store', 'check')).code).toBe(0);
  await api.stored(await call(service));
  await service.stop();
});
