import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { encodedRequest } from '../src/otlp/testing/encode.ts';
import { encodedLogs } from '../src/otlp/testing/logs.ts';
import { requestOf } from '../src/otlp/testing/spans.ts';
import { type ApiClient, apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { guideSetUps, pointedAt } from './support/opentelemetry-guide.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { type RecordedProvider, startRecordedProvider } from './support/recorded-provider.ts';

/** Applications with the set-ups of docs/guides/opentelemetry.md, word for word but for the address and the key. */
const { twoVariables, tags, headers, openLlmetry, openLit, aiSdkOption, langfuse, logs, collector, asyncLoggerUrl } = guideSetUps;
const nodeSdk = new URL('support/node-sdk.mjs', import.meta.url).href;
const sender = fileURLToPath(new URL('support/sender.mjs', import.meta.url));
const logSender = fileURLToPath(new URL('support/log-sender.mjs', import.meta.url));
const dataDir = makeDataDir();
let service: Service;
let provider: RecordedProvider;
let api: ApiClient;
const seen = new Set<string>();

beforeAll(async () => {
  provider = await startRecordedProvider(true);
  service = await startService({ dataDir, environment: { GATELOG_INGEST_INTERVAL_MS: '20' } });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

/** Runs a program of Node under variables that a shell sets, and returns the request that it tells of. */
async function toldUnder(variables: string, ...program: readonly string[]): Promise<RequestItem> {
  const script = pointedAt(variables, service.gateway);
  await promisify(execFile)('sh', ['-ec', `${script}\nexec "$0" "$@"`, process.execPath, ...program], {
    env: { ...process.env, GATELOG_API_KEY: testKey, PROVIDER_URL: provider.origin },
  });
  const [item, ...others] = await eventually('a request that was not there', async () => {
    const found = (await api.query('all')).filter(({ request_id: id }) => !seen.has(id));
    return found.length > 0 ? found : undefined;
  });
  expect(others).toEqual([]);
  if (item === undefined) throw new Error('none');
  seen.add(item.request_id);
  return item;
}

const chat = { provider: 'OPENAI', model: 'gpt-4o-2024-08-06', response_status: 200, prompt_tokens: 1830, completion_tokens: 17 };

describe('a set-up of the guide', () => {
  it('for any instrumentation: two variables', async () => {
    expect(await toldUnder(twoVariables, sender, 'OpenInference', 'chat')).toMatchObject(chat);
  });

  it('for exporters that append the path themselves: OpenLIT', async () => {
    expect(await toldUnder(`${openLit}\n${headers}`, sender, 'OpenLIT', 'chat')).toMatchObject(chat);
  });

  it('with tags of the exporter', async () => {
    const item = await toldUnder(`${twoVariables}\n${tags}`, sender, 'OpenInference', 'chat');
    expect(item).toMatchObject({ ...chat, properties: { Environment: 'production' }, response_body: null });
    expect(item.request_body).not.toBeNull();
  });

  it('for OpenLLMetry, whose SDK for JavaScript sends the headers as they stand', async () => {
    expect(openLlmetry.split('\n')).toHaveLength(2);
    expect(await toldUnder(openLlmetry, sender, 'OpenLLMetry of its SDK', 'chat')).toMatchObject({ ...chat, cost: 0.004745 });
  });

  it('for the AI SDK: an option of each call', async () => {
    const program = `
      import { trace } from '@opentelemetry/api';
      import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
      import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
      import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
      import { generateText } from 'ai';
      const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())] });
      trace.setGlobalTracerProvider(tracing);
      const model = createOpenAICompatible({ name: 'openai', baseURL: process.env.PROVIDER_URL + '/v1', apiKey: 'sk' })('gpt-4o');
      const [sessionId, userId] = ['session-1', 'ada'];
      await generateText({ model, prompt: 'When does the harbour open?', ${aiSdkOption} });
      await tracing.shutdown();
    `;
    expect(await toldUnder(twoVariables, '--input-type=module', '-e', program)).toMatchObject({
      ...chat,
      session_id: 'session-1',
      request_user_id: 'ada',
    });
  });

  it('for Langfuse, which loses no span of a program that ends at once', async () => {
    const program = `
      import OpenAI from 'openai';
      const client = new OpenAI({ baseURL: process.env.PROVIDER_URL + '/v1', apiKey: 'sk' });
      const messages = [{ role: 'user', content: 'When does the harbour open?' }];
      ${langfuse.replace("'@opentelemetry/sdk-node'", `'${nodeSdk}'`)}
    `;
    expect(await toldUnder(twoVariables, '--input-type=module', '-e', program)).toMatchObject(chat);
  });

  it('for texts in log records, beside a span that has none', async () => {
    const { request_id: id } = await toldUnder(`${twoVariables}\n${logs}`, logSender);
    const item = await eventually('the texts', async () => {
      const found = await api.stored(id);
      // Each record comes in a request of its own, in any order.
      const told = JSON.stringify([found.request_body, found.response_body]);
      return ['When does the harbour open?', 'At six.'].every((text) => told.includes(text)) ? found : undefined;
    });
    expect(item).toMatchObject({
      ...chat,
      request_body: { messages: [{ role: 'user', content: 'When does the harbour open?' }] },
      response_body: { choices: [{ message: { role: 'assistant', content: 'At six.' } }] },
    });
  });
});

interface Exporter {
  readonly traces_endpoint: string;
  readonly logs_endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly compression: string;
  readonly sending_queue: { readonly batch: { readonly max_size: number } };
}

interface Collector {
  readonly exporters: Readonly<Record<string, Exporter>>;
  readonly service: { readonly pipelines: Readonly<Record<string, { readonly exporters: readonly string[] }>> };
}

/** No Collector is at hand, so these are requests as its block describes them. */
describe("the guide's block for a Collector", () => {
  const { exporters, service: wired } = parse(collector.replace('${env:GATELOG_API_KEY}', testKey)) as Collector;
  const [[name, exporter] = ['', undefined]] = Object.entries(exporters);

  it('has one exporter, for spans and log records, whose batches are no larger than a request may be', () => {
    expect([Object.keys(exporters), exporter?.compression]).toEqual([[name], 'gzip']);
    const pipelines = Object.entries(wired.pipelines).map(([pipeline, { exporters: used }]) => [pipeline.split('/')[0], used]);
    expect(pipelines).toEqual([
      ['traces', [name]],
      ['logs', [name]],
    ]);
    expect(exporter?.sending_queue.batch.max_size).toBeLessThanOrEqual(10_000);
  });

  it.each([
    ['traces_endpoint', () => encodedRequest(requestOf([{ name: 'step' }]))],
    ['logs_endpoint', () => encodedLogs([{ body: 'started' }])],
  ] as const)('leads its %s, headers and compression to where they are taken', async (setting, bodyOf) => {
    const url = pointedAt(exporter?.[setting] ?? '', service.gateway);
    const send = async (sent: Readonly<Record<string, string>>): Promise<number> => {
      const body = new Uint8Array(gzipSync(bodyOf()));
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-protobuf', 'content-encoding': exporter?.compression ?? '', ...sent },
        body,
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect([await send(exporter?.headers ?? {}), await send({})]).toEqual([200, 401]);
  });
});

it.each([
  ['takes what it sends', testKey, 200],
  ['refuses another key', 'sk-svc-us-other', 401],
])("the guide's address for Helicone's async logger %s", async (_what, key, status) => {
  const answer = await fetch(pointedAt(asyncLoggerUrl, service.gateway), {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf', authorization: `Bearer ${key}` },
    body: new Uint8Array(encodedRequest(requestOf([{ name: 'step' }]))),
  });
  expect(answer.status).toBe(status);
});
