import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodingOf } from '../src/otlp/protocol/encoding.ts';
import { receiveSpans } from '../src/otlp/receive.ts';
import { identify, type ReadCall, readCall } from '../src/otlp/testing/spans.ts';
import { RecentParents } from '../src/otlp/tree/recent-parents.ts';
import { type FakeOpenAi, startFakeOpenAi } from './support/fake-openai.ts';

interface SentRequest {
  readonly contentType: string;
  readonly isCompressed: boolean;
  readonly body: Buffer;
}

let provider: FakeOpenAi;
let collector: Server;
let sent: SentRequest[] = [];

beforeAll(async () => {
  provider = await startFakeOpenAi();
  collector = createServer((request, response) => {
    void buffer(request).then((body) => {
      sent.push({ contentType: request.headers['content-type'] ?? '', isCompressed: request.headers['content-encoding'] === 'gzip', body });
      response.end();
    });
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
});

afterAll(async () => {
  await provider.close();
  collector.closeAllConnections();
  collector.close();
});

/** Runs a real sender and reads what it sent. */
async function callsOf(name: string): Promise<readonly ReadCall[]> {
  sent = [];
  const address = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/otlp/v1/traces`;
  const child = spawn(process.execPath, [fileURLToPath(new URL('support/otlp-sender.mjs', import.meta.url)), name], {
    env: {
      ...process.env,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      PROVIDER_URL: provider.baseUrl,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
  const parents = new RecentParents();
  return sent.flatMap(({ contentType, isCompressed, body }) => {
    const bytes = isCompressed ? gunzipSync(body) : body;
    const encoding = encodingOf(contentType) ?? 'json';
    const { calls, rejected } = receiveSpans({ organizationId: 'o', encoding, bytes, defaults: { properties: [] } }, { identify, parents });
    expect(rejected).toEqual([]);
    return calls.map(readCall);
  });
}

interface Told {
  readonly session: string | undefined;
  readonly name: string | undefined;
  readonly path: string;
  readonly user: string | undefined;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
  readonly requestModel: string;
  readonly cacheRead: number | null;
  readonly reasoning: number | null;
}

const nothing = { session: undefined, name: undefined, user: undefined, properties: [] };
const application = { name: undefined, session: 'session-1', user: 'ada' };
const team = { name: 'team', value: 'search' };

/** What each tells beside the messages and the counts, which all do. */
const senders: readonly (readonly [name: string, told: Told])[] = [
  ['OpenLLMetry', { ...nothing, path: '/answer/chat gpt-4o-mini', requestModel: 'gpt-4o-mini', cacheRead: null, reasoning: null }],
  [
    'OpenInference',
    { ...nothing, ...application, path: '/answer/OpenAI Chat Completions', requestModel: 'gpt-4o-mini', cacheRead: 400, reasoning: 50 },
  ],
  [
    'Langfuse',
    {
      ...application,
      name: 'answers',
      path: '/answer/OpenAI.chat',
      properties: [team, { name: 'tags', value: 'a,b' }],
      requestModel: 'gpt-4o-2024-08-06',
      cacheRead: 400,
      reasoning: 50,
    },
  ],
  // Each span comes alone: the ancestors are still to come.
  [
    'AI SDK',
    {
      ...nothing,
      ...application,
      path: '/ai.generateText.doGenerate',
      properties: [team],
      requestModel: 'gpt-4o-mini',
      cacheRead: 400,
      reasoning: 50,
    },
  ],
];

it.each(senders)(
  '%s tells of one call, as the provider answered it',
  async (name, { session, user, path, properties, requestModel, cacheRead, reasoning, name: sessionName }) => {
    const calls = await callsOf(name);
    expect(calls).toHaveLength(1);
    const [{ call, request, response, requestBody } = expect.fail()] = calls;
    expect(call).toMatchObject({ provider: 'openai', path: '/v1/chat/completions', model: requestModel, response: { status: 200 } });
    expect(call.tags).toMatchObject({
      sessionId: session ?? call.tags.jobId,
      sessionPath: path,
      properties,
      ...(user === undefined ? {} : { userId: user }),
      ...(sessionName === undefined ? {} : { sessionName }),
    });
    expect(requestBody).toMatchObject({ model: requestModel, temperature: 0.5 });
    expect(request).toMatchObject({ promptText: 'Be short.\nWhy is the sky blue?', lastUserText: 'Why is the sky blue?' });
    expect(response).toMatchObject({ model: 'gpt-4o-2024-08-06', completionText: 'Grüße, 世界 🌍' });
    expect(response?.usage).toMatchObject({
      promptTokens: 1000,
      completionTokens: 200,
      promptCacheReadTokens: cacheRead,
      reasoningTokens: reasoning,
    });
  },
  30_000,
);
