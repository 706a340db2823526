import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { type ApiClient, apiClient } from './support/api.ts';
import { collect } from './support/byte-provider.ts';
import { countsOf, hasCost, isTagged, isTold, toldCounts } from './support/clients/expected.ts';
import { readNewestClients, type SentCall, type SentExport } from './support/clients/newest-clients.ts';
import { replay, type SentRequest } from './support/clients/recorder.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { type RecordedProvider, startRecordedProvider } from './support/recorded-provider.ts';

/** The newest clients need a later Node than the project, so what they sent in `npm run soak -- clients --record` is sent again. */
const { calls, exports } = readNewestClients(testKey);
const dataDir = makeDataDir();
let service: Service;
let provider: RecordedProvider;
let api: ApiClient;

beforeAll(async () => {
  provider = await startRecordedProvider(true);
  const environment: Record<string, string> = { GATELOG_INGEST_INTERVAL_MS: '20' };
  for (const name of ['OPENAI', 'ANTHROPIC', 'GEMINI', 'HUGGINGFACE']) {
    environment[`GATELOG_PROVIDER_${name}_URL`] = provider.origin + (name === 'OPENAI' ? '/v1' : '');
    environment[`GATELOG_PROVIDER_${name}_KEY`] = 'deployment-key';
  }
  service = await startService({ dataDir, environment });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

/** By the name of its client. */
const recordedProviders: readonly (readonly [client: string, provider: string])[] = [
  ['@anthropic-ai/sdk', 'ANTHROPIC'],
  ['@google/genai', 'GOOGLE'],
  ['@huggingface/inference', 'HUGGINGFACE'],
  ['', 'OPENAI'],
];

function isRecorded({ name }: SentCall): boolean {
  return countsOf(name) !== undefined;
}

/** The same request under an identifier of its own. */
function asNew(sent: SentRequest): { readonly id: string; readonly sent: SentRequest } {
  const id = randomUUID();
  const place = sent.headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'svc-request-id');
  return { id, sent: { ...sent, headers: sent.headers.with(place + 1, id) } };
}

async function send(sent: SentRequest): Promise<IncomingMessage> {
  const response = await replay(service.gateway, sent);
  await collect(response);
  return response;
}

describe('what the newest clients send', () => {
  it('is of versions that are newer than those of the project', () => {
    const versions = new Map(calls.map(({ name, version }) => [name.split(' ')[0] ?? '', Number.parseInt(version, 10)]));
    expect(Object.fromEntries(versions)).toMatchObject({ openai: 7, '@google/genai': 3, ai: 7, '@anthropic-ai/sdk': 1 });
  });

  it.each(calls.filter(isRecorded))('$name $version', async ({ name, sent: recorded }) => {
    const { id, sent } = asNew(recorded);
    const before = provider.calls.length;
    const { statusCode } = await send(sent);
    expect([statusCode, provider.calls.length]).toEqual([200, before + 1]);
    expect(JSON.stringify(provider.calls[before]?.headers)).not.toContain(testKey);
    const item = await api.stored(id);
    const [, recordName] = recordedProviders.find(([client]) => name.startsWith(client)) ?? [];
    expect([item.response_status, item.provider]).toEqual([200, recordName]);
    expect(toldCounts(name, item)).toEqual(countsOf(name));
  });

  it.each(calls.filter((call) => !isRecorded(call)))('$name $version is refused, so that HTTP is tried', async ({ sent }) => {
    const before = provider.calls.length;
    expect([(await send(sent)).statusCode, provider.calls.length]).toEqual([426, before]);
  });
});

describe.each(exports.map((each) => ({ ...each, encoding: encodingOf(each) })))(
  'what the newest OpenTelemetry exports in $encoding',
  (each) => {
    it('is taken, and each call is one record with its tokens, its cost and its context', async () => {
      // Twice, as exporters do after a lost answer.
      for (const sent of [...each.sent, ...each.sent]) expect((await send(sent)).statusCode).toBe(200);
      for (const { name, id } of each.traces) {
        const items = await eventually(`the span of ${name}`, async () => {
          const found = await api.query({ request_response_rmt: { trace_id: { equals: id } } });
          return found.length > 0 && (!isTold(name) || found.every(isTagged)) ? found : undefined;
        });
        expect(items.map((item: RequestItem) => [toldCounts(name, item), hasCost(item)])).toEqual([[countsOf(name), true]]);
      }
    });
  },
);

function encodingOf({ sent }: SentExport): string {
  const { headers = [] } = sent[0] ?? {};
  return headers[headers.findIndex((name) => name.toLowerCase() === 'content-type') + 1] ?? '';
}
