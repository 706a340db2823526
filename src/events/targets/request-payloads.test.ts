import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Webhook } from '../../model/events/webhook.ts';
import type { RequestId, Uuid } from '../../model/ids.ts';
import { parseMoney } from '../../model/pricing/money.ts';
import type { RecordedBody } from '../../model/record/request-record.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import type { Payload } from './target.ts';
import type { Delivery } from '../log/due.ts';
import { idAt, noon } from '../../query/testing/query-harness.ts';
import { makeRequestPayloads } from './request-payloads.ts';
import { FollowingScene } from '../webhooks/testing/following-scene.ts';

const json = (value: unknown): RecordedBody => ({ kind: 'json', text: JSON.stringify(value) });
/** Numbers that JavaScript cannot hold. */
const exact = '{"n":[9007199254740993,1e400,-0,0.10000000000000000001]}';
const longest = 'x'.repeat(10 * 1024 - 2);

let scene: FollowingScene;
let webhook: Webhook;
beforeAll(async () => {
  scene = await FollowingScene.open();
  webhook = scene.define();
  const common = { createdAt: noon, userId: 'ann', sessionId: 's-1', model: 'gpt-4o', properties: new Map([['Team', 'red']]) };
  await scene.store([
    {
      ...common,
      requestId: idAt(noon, 1),
      requestBody: json({ model: 'gpt-4o', n: 12345678901234567890n.toString() }),
      responseBody: { kind: 'text', text: 'hello' },
      inputPreview: 'Hello?',
      usage: { ...unreportedUsage, promptTokens: 3, completionTokens: 4 },
      cost: parseMoney('0.25') ?? null,
      latencyMs: 17,
    },
    { ...common, requestId: idAt(noon, 4), requestBody: { kind: 'json', text: exact }, responseBody: { kind: 'json', text: exact } },
    { ...common, requestId: idAt(noon, 2), userId: '', requestBody: json(longest), responseBody: json(`${longest}é`) },
  ]);
});
afterAll(async () => scene.close());

const deliveryOf = (id: string, requestId: RequestId, type: Delivery['type'] = 'request.completed'): Delivery => ({
  id,
  organizationId: scene.organizationId,
  target: { kind: 'webhook', webhookId: webhook.id },
  type,
  subject: { kind: 'request', requestId, createdAt: noon },
  occurredAt: noon,
  createdAt: noon,
  attempts: 0,
  step: 0,
});

async function payloadsOf(deliveries: readonly Delivery[], changes: Partial<Webhook> = {}): Promise<readonly unknown[]> {
  return (await madeOf(deliveries, changes)).map(contentOf);
}

async function madeOf(deliveries: readonly Delivery[], changes: Partial<Webhook> = {}): Promise<readonly (Payload | undefined)[]> {
  const payloads = makeRequestPayloads({
    definitions: { find: (_, id: Uuid) => (id === webhook.id ? { ...webhook, ...changes } : undefined) },
    readingOf: (organizationId, signal) => scene.readingOf(organizationId, signal),
    bodyAddressOf: (_, requestId) => `https://gatelog.example/${requestId}`,
  });
  const made = await payloads(deliveries, new AbortController().signal);
  return deliveries.map(({ id }) => made.get(id));
}

function contentOf(payload: Payload | undefined): unknown {
  return payload?.kind === 'body' ? JSON.parse(payload.body) : payload?.kind;
}

it('a payload has the request with its bodies and its metadata, as they are stored', async () => {
  expect(await payloadsOf([deliveryOf('a', idAt(noon, 1))])).toEqual([
    {
      type: 'request.completed',
      timestamp: new Date(noon).toISOString(),
      request_id: idAt(noon, 1),
      user_id: 'ann',
      session_id: 's-1',
      model: 'gpt-4o',
      provider: 'OPENAI',
      properties: { Team: 'red' },
      request_body: { model: 'gpt-4o', n: '12345678901234567890' },
      response_body: 'hello',
      request_response_url: `https://gatelog.example/${idAt(noon, 1)}`,
      input_preview: 'Hello?',
      output_preview: null,
      metadata: { cost: 0.25, promptTokens: 3, completionTokens: 4, totalTokens: 7, latencyMs: 17 },
    },
  ]);
});

it('what is signed and sent has the digits of the bodies as they came', async () => {
  const [payload] = await madeOf([deliveryOf('a', idAt(noon, 4))]);
  const text = payload?.kind === 'body' ? payload.body : '';
  expect(text).toContain(`"request_body":${exact}`);
  expect(text).toContain(`"response_body":${exact}`);
});

it('a body over 10 KiB is left to its address', async () => {
  expect(await payloadsOf([deliveryOf('a', idAt(noon, 2))])).toMatchObject([
    { user_id: null, request_body: longest, response_body: 'The body is larger than 10 KiB; request_response_url returns it.' },
  ]);
});

it('without data it has neither bodies nor metadata, nor an address that returns bodies', async () => {
  const [payload] = await payloadsOf([deliveryOf('a', idAt(noon, 1))], { includeData: false });
  expect(Object.keys(payload as object)).toEqual([
    'type',
    'timestamp',
    'request_id',
    'user_id',
    'session_id',
    'model',
    'provider',
    'properties',
  ]);
});

it('events of one request have a payload each; that of a request that is not stored any more is gone', async () => {
  const [completed, updated, gone] = await payloadsOf([
    deliveryOf('a', idAt(noon, 1)),
    deliveryOf('b', idAt(noon, 1), 'request.updated'),
    deliveryOf('c', idAt(noon, 3)),
  ]);
  expect([completed, updated]).toMatchObject([{ type: 'request.completed' }, { type: 'request.updated' }]);
  expect(gone).toBe('gone');
});
