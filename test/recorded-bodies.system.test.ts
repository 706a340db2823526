import { afterAll, beforeAll, expect, it } from 'vitest';
import { processTree } from '../bench/measure/process-table.ts';
import { type ByteProvider, startByteProvider } from './support/byte-provider.ts';
import { memoryOf } from './support/process-memory.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { bodyProviders, type BodyTarget, chosenPairs, deepPairs, performRound } from './support/recorded-bodies.ts';
import { byLength } from './support/test-length.ts';

const dataDir = makeDataDir();
const seed = 20_261_123;
const maxPeakBytes = 1.5e9;
let service: Service;
let provider: ByteProvider;

beforeAll(async () => {
  provider = await startByteProvider();
  service = await startService({ dataDir, environment: { ...bodyProviders(provider), GATELOG_INGEST_INTERVAL_MS: '50' } });
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

it.each([
  ['deep', deepPairs([499, 501, 6000, 8000])],
  [`of any kind (seed ${seed})`, chosenPairs(seed, byLength(8, 40))],
])('bodies that are %s close no page, and every record is read at every endpoint', async (round, pairs) => {
  const target: BodyTarget = { gateway: service.gateway, api: service.api, key: testKey, provider, faults: [] };
  const records = await performRound(target, round.slice(0, 4), pairs);
  expect(target.faults).toEqual([]);
  expect(records).toBeGreaterThan(pairs.length / 2);
  for (const { pid } of processTree(service.pid)) expect(memoryOf(pid).peak).toBeLessThan(maxPeakBytes);
});
