import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { gatelog } from './support/command.ts';
import { eventually } from './support/eventually.ts';
import { fillStore } from './support/export-run.ts';
import { fullRecord } from './support/full-records.ts';
import { makeDataDir, removeDataDir, startService, testKey } from './support/process-tree.ts';

const count = Number(process.env['GATELOG_TEST_RECORDS'] ?? 3000);
const dataDirs = [makeDataDir(), makeDataDir()] as const;
afterEach(() => {
  for (const dataDir of dataDirs) removeDataDir(dataDir);
});

async function exported(dataDir: string, api: string): Promise<Buffer> {
  const file = path.join(dataDir, 'exported.jsonl');
  const { code, stderr } = await gatelog(dataDir, { api }, 'export', '--include-body', '--output', file);
  expect([code, stderr]).toEqual([0, expect.stringContaining('records in')]);
  return readFileSync(file);
}

it('an export that is imported into a fresh deployment is exported from there byte for byte the same', async () => {
  await fillStore(dataDirs[0], count, (number, organization) => fullRecord(number, count, organization));
  const first = await startService({ dataDir: dataDirs[0] });
  const before = await exported(dataDirs[0], first.api);
  await first.stop();
  const second = await startService({ dataDir: dataDirs[1] });
  const { code, stderr } = await gatelog(dataDirs[1], { api: second.api }, 'import', path.join(dataDirs[0], 'exported.jsonl'));
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const api = apiClient(second.api, testKey);
  await eventually(
    'all to be stored',
    async () => ((await api.call<number>('POST', '/v1/request/count/query', { filter: 'all' })).body.data === count ? true : undefined),
    300_000,
  );
  const after = await exported(dataDirs[1], second.api);
  await second.stop();
  const [lines, linesAfter] = [before, after].map((bytes) => bytes.toString().split('\n'));
  const different = lines?.findIndex((line, index) => line !== linesAfter?.[index]) ?? -1;
  expect(linesAfter?.[different]).toBe(lines?.[different]);
  expect(before.equals(after)).toBe(true);
  expect(lines).toHaveLength(count + 1);
}, 900_000);
