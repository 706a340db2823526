import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { type LargeProvider, type LargeResult, patternDigest, performLargeCall, startLargeProvider } from './support/large-bodies.ts';
import { forgetPeak, inMegabytes, memoryOf } from './support/process-memory.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { byLength } from './support/test-length.ts';

const mebi = 1024 * 1024;
const recordMaxBytes = 2 * mebi;
const dataDir = makeDataDir();
let service: Service;
let provider: LargeProvider;
let api: ApiClient;

beforeAll(async () => {
  provider = await startLargeProvider();
  service = await startService({
    dataDir,
    environment: {
      GATELOG_PROVIDER_OPENAI_URL: `${provider.origin}/v1`,
      GATELOG_ROUTE_MAX_BYTES: String(mebi),
      GATELOG_INGEST_INTERVAL_MS: '20',
      GATELOG_RECORD_MAX_BYTES: String(recordMaxBytes),
    },
  });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

function perform(bytes: number, framing: 'length' | 'chunked', contentType = 'application/octet-stream'): Promise<LargeResult> {
  const path = contentType === 'application/json' ? '/v1/chat/completions' : '/v1/files';
  return performLargeCall({ url: service.gateway + path, key: testKey, bytes, framing, contentType });
}

/** Digest of a recorded body that is not text. */
function recordedDigest(body: unknown): string {
  const { base64 } = body as { readonly base64: string };
  return createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');
}

describe('a body of any size passes unchanged in both directions, and its beginning is on record', () => {
  const aboutTheLimits = [mebi - 1, mebi, mebi + 1, recordMaxBytes, recordMaxBytes + 1];
  const framings = ['length', 'chunked'] as const;
  const sizes = [1, 2, 1000, 65_535, 65_537, ...aboutTheLimits, 10 * mebi];

  it.each(sizes.flatMap((bytes) => framings.map((framing) => ({ bytes, framing }))))(
    '$bytes bytes, $framing',
    async ({ bytes, framing }) => {
      const item = await expectWhole(bytes, await perform(bytes, framing));
      const beginning = patternDigest(Math.min(bytes, recordMaxBytes));
      expect([recordedDigest(item.request_body), recordedDigest(item.response_body)]).toEqual([beginning, beginning]);
    },
  );

  it.each(aboutTheLimits.flatMap((bytes) => framings.slice(byLength(1, 0)).map((framing) => ({ bytes, framing }))))(
    '$bytes bytes, $framing, said to be JSON, which is read for its model up to a limit',
    async ({ bytes, framing }) => {
      expect(await expectWhole(bytes, await perform(bytes, framing, 'application/json'))).toMatchObject({ provider: 'OPENAI' });
    },
  );
});

/** Both sides received every byte; the record has the size and says whether its body is cut. */
async function expectWhole(bytes: number, { id, ...sides }: LargeResult): Promise<RequestItem> {
  const whole = { digest: patternDigest(bytes), bytes };
  expect(sides).toEqual({ status: 200, up: whole, down: whole });
  const item = await api.stored(id);
  const cut = bytes > recordMaxBytes;
  expect(item).toMatchObject({ response_status: 200, size_bytes: 2 * bytes, request_body_cut: cut, response_body_cut: cut });
  return item;
}

describe('memory', () => {
  it('is bounded: four bodies of 100 MB at once, up and down, take less than one of them', async () => {
    const [worker = 0] = childrenNamed(service.pid, 'gateway');
    const bytes = 100_000_000;
    forgetPeak(worker);
    const before = memoryOf(worker);
    const results = await Promise.all((['length', 'chunked', 'length', 'chunked'] as const).map((framing) => perform(bytes, framing)));
    const { peak } = memoryOf(worker);
    process.stdout.write(
      `gateway worker: ${inMegabytes(before.resident)} before, at most ${inMegabytes(peak)} (VmHWM) during 4 x 100 MB up and down\n`,
    );
    for (const result of results) await expectWhole(bytes, result);
    expect(peak - before.resident).toBeLessThan(bytes);
  });
});
