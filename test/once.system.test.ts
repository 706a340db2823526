import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { type RecordedProvider, startRecordedProvider } from './support/recorded-provider.ts';
import { byLength } from './support/test-length.ts';

/** Anthropic's client makes spans itself; with an instrumentation beside it and the gateway each call is told three times. */
const dataDir = makeDataDir();
let service: Service;
let api: ApiClient;
let provider: RecordedProvider;

beforeAll(async () => {
  provider = await startRecordedProvider(true);
  service = await startService({
    dataDir,
    environment: { GATELOG_INGEST_INTERVAL_MS: '20', GATELOG_PROVIDER_ANTHROPIC_URL: provider.origin },
  });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

const ways = ['create', 'tools', 'stream', 'helper'] as const;

/** Its path begins at the application's span, which comes last. */
function isPlaced({ session_path: path }: RequestItem): boolean {
  return /^\/answer\/.*anthropic.messages/i.test(path ?? '');
}

/** @returns the requests of the session that the application's outer span names, once they are as many as the calls and stay so. */
async function told(passes: boolean, processor: string, more: readonly string[]): Promise<readonly RequestItem[]> {
  const session = `session-${randomUUID()}`;
  const child = spawn(process.execPath, [fileURLToPath(new URL('support/once-sender.mjs', import.meta.url)), processor, ...more, ...ways], {
    env: {
      ...process.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${service.gateway}/v1/otlp`,
      OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${testKey}`,
      PROVIDER_URL: passes ? `${service.gateway}/anthropic` : provider.origin,
      SESSION: session,
      ...(passes ? { GATEWAY_KEY: testKey } : {}),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
  const find = (): Promise<readonly RequestItem[]> =>
    api.query({ sessions_request_response_rmt: { session_session_id: { equals: session } } });
  const found = await eventually(
    'each call to be one request of the session',
    async () => {
      const items = await find();
      return items.length === ways.length && items.every(isPlaced) ? items : undefined;
    },
    20_000,
  );
  // What is told twice would come with the next batches.
  await wait(1000);
  expect((await find()).length).toBe(ways.length);
  return found;
}

const processors: readonly string[] = ['simple', 'batch'];
const clients = [
  ['its own spans', [], byLength(processors.slice(0, 1), processors)],
  ['its own spans and an instrumentation’s', ['instrumented'], byLength(processors.slice(1), processors)],
] as const;

describe.each(clients)('a client with %s', (_name, more, byProcessors) => {
  it.each(byProcessors)('whose calls pass the gateway, by the %s processor, is counted once, by the gateway', async (processor) => {
    const items = await told(true, processor, more);
    for (const item of items) {
      expect(item).toMatchObject({ request_path: '/anthropic/v1/messages', response_status: 200 });
      expect([item.trace_id, item.span_id]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{16}$/)]);
      expect(item.gateway_overhead_ms).not.toBeNull();
      const { body } = await api.call<readonly { readonly kind: string; readonly key_id: string }[]>(
        'GET',
        `/v1/request/${item.request_id}/changes`,
      );
      expect(body.data.map(({ kind }) => kind)).toContain('property');
      expect(body.data.map(({ key_id: key }) => key).filter((key) => ['', 'gateway', 'operator'].includes(key))).toEqual([]);
    }
  });

  it.each(byProcessors)('that calls the provider itself, by the %s processor, is counted once', async (processor) => {
    const items = await told(false, processor, more);
    for (const item of items) expect(item.prompt_tokens).toBeGreaterThan(0);
  });
});
