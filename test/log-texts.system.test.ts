import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { encodedLogs, logsRequestOf, type WrittenLog } from '../src/otlp/testing/logs.ts';
import { requestOf, spanIdOf } from '../src/otlp/testing/spans.ts';
import { apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

/** The official instrumentations send what was said in log records, and only counts on the span. */
const dataDir = makeDataDir();
let service: Service;
const start = async (): Promise<void> => {
  service = await startService({ dataDir, environment: { GATELOG_INGEST_INTERVAL_MS: '20' } });
};

beforeAll(start);
afterAll(async () => {
  await service?.stop();
  removeDataDir(dataDir);
});

const startMs = Math.floor(Date.now() / 1000) * 1000 - 10_000;
const atMs = BigInt(startMs) * 1_000_000n;

const logsOf = (traceId: string): readonly WrittenLog[] => [
  { traceId, at: atMs + 1n, eventName: 'gen_ai.user.message', body: { content: 'Why is the sky blue?' } },
  {
    traceId,
    at: atMs + 2_000_000n,
    attributes: { 'event.name': 'gen_ai.choice' },
    body: { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'It scatters.' } },
  },
  { traceId, body: 'a line of the application' },
];

const spanOf = (traceId: string): unknown =>
  requestOf([
    {
      traceId,
      spanId: spanIdOf(1),
      name: 'chat gpt-5-mini',
      startMs,
      endMs: startMs + 900,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.system': 'openai',
        'gen_ai.request.model': 'gpt-5-mini',
        'gen_ai.usage.input_tokens': 1000,
        'gen_ai.usage.output_tokens': 200,
      },
    },
  ]);

interface Sent {
  readonly body: Buffer;
  readonly type?: string;
  readonly encoding?: string;
}

async function post(signal: 'logs' | 'traces', listener: 'gateway' | 'api', { body, type = 'json', encoding }: Sent): Promise<Response> {
  return fetch(`${service[listener]}/v1/otlp/v1/${signal}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${testKey}`,
      'content-type': `application/${type}`,
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    },
    body: new Uint8Array(body),
  });
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function whole(traceId: string): Promise<RequestItem> {
  const api = apiClient(service.api);
  return eventually('the request with its texts', async () => {
    const items = await api.query({ request_response_rmt: { trace_id: { equals: traceId } } });
    const [item] = items;
    expect(items.length).toBeLessThan(2);
    return JSON.stringify([item?.request_body, item?.response_body]).includes('scatters') ? item : undefined;
  });
}

const senders = {
  logs: (traceId: string) =>
    post('logs', 'gateway', { body: gzipSync(encodedLogs(logsOf(traceId))), type: 'x-protobuf', encoding: 'gzip' }),
  span: (traceId: string) => post('traces', 'api', { body: json(spanOf(traceId)) }),
} as const;

it.each([
  ['before', 'a'.repeat(32), ['logs', 'span']],
  ['after', 'b'.repeat(32), ['span', 'logs']],
] as const)(
  'log records that come %s their span fill its request, over a kill of the whole service',
  async (_when, traceId, [first, second]) => {
    expect((await senders[first](traceId)).status).toBe(200);
    await service.killAll();
    await start();
    expect((await senders[second](traceId)).status).toBe(200);
    const item = await whole(traceId);
    expect(item).toMatchObject({
      response_status: 200,
      prompt_tokens: 1000,
      completion_tokens: 200,
      request_body: { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Why is the sky blue?' }] },
      response_body: { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'It scatters.' } }] },
    });
    const { body } = await apiClient(service.api).call<readonly unknown[]>('GET', `/v1/request/${item.request_id}/changes`);
    expect(body.data).toMatchObject([
      { kind: 'texts', key_id: expect.stringMatching(/./) as string, old: null, new: 1 },
      { kind: 'texts', key_id: expect.stringMatching(/./) as string, old: null, new: 1 },
    ]);
    const found = await apiClient(service.api).query({
      left: { request_response_rmt: { response_body: { contains: 'scatters' } } },
      operator: 'and',
      right: { request_response_rmt: { trace_id: { equals: traceId } } },
    });
    expect(found.map(({ request_id: id }) => id)).toEqual([item.request_id]);
  },
);

it.each([
  ['JSON', { body: Buffer.from('hello') }, 400, 'The body is no JSON object'],
  ['protocol buffers', { body: json(logsRequestOf([])), type: 'x-protobuf' }, 400, 'The body is no ExportLogsServiceRequest'],
  ['gzip', { body: json({}), encoding: 'gzip' }, 400, 'The body is no gzip'],
  ['a media type that is taken', { body: json({}), type: 'xml' }, 415, 'OTLP is sent as'],
] as const)('a body that is not %s is refused, and the answer says so', async (_what, sent, status, message) => {
  for (const listener of ['gateway', 'api'] as const) {
    const answer = await post('logs', listener, sent);
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(message) as string]);
  }
});

async function notRecorded(): Promise<readonly number[]> {
  const text = await (await fetch(`${service.api}/metrics`)).text();
  return ['logs', 'metrics'].map((signal) => {
    const counts = text.matchAll(new RegExp(String.raw`^gatelog_otlp_not_recorded_total\{[^}]*signal="${signal}"[^}]*\} (\d+)$`, 'gm'));
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  });
}

it('log records and metrics of applications are accepted and counted', async () => {
  const [logs = 0, metrics = 0] = await notRecorded();
  const answers = await Promise.all([
    post('logs', 'gateway', { body: json(logsRequestOf([{ body: 'started' }])) }),
    fetch(`${service.gateway}/v1/otlp/v1/metrics`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: '{}',
    }),
  ]);
  expect(await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]))).toEqual([
    [200, '{}'],
    [200, '{}'],
  ]);
  await eventually('both are counted', async () => isDeepStrictEqual(await notRecorded(), [logs + 1, metrics + 1]) || undefined);
});
