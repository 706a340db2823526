import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { type ReadItems, type ByteCase, byteFactors, type ByteTarget, performCase, recordsFaults } from './support/byte-cases.ts';
import { type ByteProvider, startByteProvider } from './support/byte-provider.ts';
import { SeededRandom } from './support/seeded-random.ts';
import { pairwise } from './support/matrix.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { testSeed } from './support/test-length.ts';

const dataDir = makeDataDir();
let service: Service;
let provider: ByteProvider;
let api: ApiClient;
let target: ByteTarget;

beforeAll(async () => {
  provider = await startByteProvider();
  service = await startService({
    dataDir,
    environment: {
      GATELOG_PROVIDER_OPENAI_URL: `${provider.origin}/v1`,
      GATELOG_PROVIDER_ANTHROPIC_URL: provider.origin,
      GATELOG_PROVIDER_GEMINI_URL: provider.origin,
    },
  });
  api = apiClient(service.api);
  target = { gateway: service.gateway, key: testKey, provider };
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

const ask: ReadItems = async (requestIds) =>
  (await api.call<readonly RequestItem[]>('POST', '/v1/request/query-ids', { requestIds })).body.data;

/** A gate that opens when this many callers wait at it. */
function gate(count: number): () => Promise<void> {
  const arrived = new EventEmitter();
  const allHere = once(arrived, 'all');
  let waiting = 0;
  return async () => {
    waiting += 1;
    if (waiting === count) arrived.emit('all');
    await allHere;
  };
}

describe('bytes pass unchanged and are recorded unchanged', () => {
  // GATELOG_TEST_SEED repeats a run.
  const seed = testSeed();
  const cases = pairwise(byteFactors, new SeededRandom(seed));

  it(`in ${cases.length} cases in which any two circumstances meet (seed ${seed})`, async () => {
    const random = new SeededRandom(seed);
    const calls: { id: string; combination: ByteCase }[] = [];
    for (const combination of cases) {
      const { id, faults } = await performCase(target, combination, random);
      expect(faults, `seed ${seed}`).toEqual([]);
      calls.push({ id, combination });
    }
    expect(await recordsFaults(ask, calls), `seed ${seed}`).toEqual([]);
  });

  it(`in 256 concurrent streams that all pause until the first half of each has arrived (seed ${seed})`, async () => {
    const halfway = gate(256);
    const random = new SeededRandom(seed);
    const streams = Array.from({ length: 256 }, (): ByteCase => {
      const varied = random.of(cases);
      return { ...varied, shape: random.of(['chat', 'responses', 'messages', 'generateContent']), response: 'stream', status: 200 };
    });
    const results = await Promise.all(
      streams.map((combination, index) => performCase(target, combination, new SeededRandom(seed + index), halfway)),
    );
    expect(
      results.flatMap(({ faults }) => faults),
      `seed ${seed}`,
    ).toEqual([]);
    const calls = results.flatMap(({ id }, index) => {
      const combination = streams[index];
      return combination === undefined ? [] : [{ id, combination }];
    });
    expect(await recordsFaults(ask, calls), `seed ${seed}`).toEqual([]);
  });
});
