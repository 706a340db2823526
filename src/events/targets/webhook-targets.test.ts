import { createHmac } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type LookupFunction, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { closeReceivers, type Receiver, startReceiver } from '../channels/testing/receiver.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { openMigratedMetadata } from '../../metadata/migrate.ts';
import type { NewDelivery } from '../../model/events/event.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { addDeliveries } from '../log/add-deliveries.ts';
import { closedHosts } from '../webhooks/testing/closed-destinations.ts';
import { openWebhookScene, type SceneOptions, type WebhookScene } from '../webhooks/testing/webhook-scene.ts';
import type { WebhookInput } from '../webhooks.ts';

const organizationId = '01890000-0000-7000-8000-000000000001' as OrganizationId;
const body = JSON.stringify({ type: 'request.completed', request_id: 'r', request_body: 'Grüße 🙂' });
let folder: string;
let database: MetadataDatabase;
let scene: WebhookScene | undefined;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-webhooks-'));
  database = await openMigratedMetadata(folder, 'core', Date.now);
});
afterEach(async () => {
  await scene?.close();
  scene = undefined;
  await database.close();
  closeReceivers();
  rmSync(folder, { recursive: true });
});

const requestPayloads: NonNullable<SceneOptions['requestPayloads']> = async (deliveries) =>
  new Map(deliveries.map(({ id }) => [id, { kind: 'body', body }]));

async function open(options: Partial<SceneOptions> = {}): Promise<WebhookScene> {
  scene = await openWebhookScene({ database, folder, requestPayloads, ...options });
  return scene;
}

function given(destination: string): WebhookInput {
  return {
    name: null,
    destination,
    filter: 'all',
    sampleRate: 100,
    events: ['request.completed'],
    includeData: true,
    isEnabled: undefined,
  };
}

async function created({ webhooks }: WebhookScene, destination: string) {
  const webhook = await webhooks.create(organizationId, given(destination));
  if (typeof webhook === 'string') throw new Error(webhook);
  return { ...webhook, id: webhook.webhook.id };
}

async function deliver({ events, outbox }: WebhookScene, webhookId: string): Promise<string> {
  const delivery: NewDelivery = {
    organizationId,
    target: { kind: 'webhook', webhookId },
    type: 'request.completed',
    subject: { kind: 'request', requestId: '01890000-0000-7000-8000-0000000000aa' as RequestId, createdAt: 0 },
    occurredAt: Date.now(),
  };
  const [id = ''] = await addDeliveries(events, [delivery], Date.now());
  outbox.wake([delivery]);
  return id;
}

const received = async (receiver: Receiver, count = 1) => {
  await vi.waitFor(() => expect(receiver.posts).toHaveLength(count), { timeout: 10_000, interval: 5 });
  return receiver.posts[count - 1] as Receiver['posts'][number];
};
const hexOf = (hmacKey: string, text: string): string => createHmac('sha256', hmacKey).update(text).digest('hex');

describe.each(['http', 'https'] as const)('a webhook to a receiver over %s', (scheme) => {
  it('is signed as Standard Webhooks says, and as receivers of Helicone check it', async () => {
    const receiver = await startReceiver(200, scheme);
    const opened = await open({ allowed: [`localhost:${receiver.port}`], ...(receiver.ca === undefined ? {} : { ca: receiver.ca }) });
    const webhook = await created(opened, `${receiver.origin}/hook?a=b`);
    const id = await deliver(opened, webhook.id);
    const post = await received(receiver);
    expect([post.method, post.path, post.headers['content-type'], post.headers['webhook-id']]).toEqual([
      'POST',
      '/hook?a=b',
      'application/json',
      id,
    ]);
    expect(new Verifier(webhook.secret).verify(post.body, post.headers as Record<string, string>)).toEqual(JSON.parse(body));
    expect(() => new Verifier(webhook.secret).verify(`${post.body} `, post.headers as Record<string, string>)).toThrow('No matching');
    expect(post.headers['svc-signature']).toBe(hexOf(webhook.hmacKey, post.body));
    expect(post.headers['helicone-signature']).toBe(post.headers['svc-signature']);
  });
});

describe('a rotated secret', () => {
  it('signs beside the previous one, which ends after 24 hours', async () => {
    const receiver = await startReceiver();
    const opened = await open({ allowed: [`localhost:${receiver.port}`] });
    const first = await created(opened, receiver.origin);
    const second = await opened.webhooks.rotateSecret(organizationId, first.id);
    await deliver(opened, first.id);
    const during = await received(receiver);
    const headers = during.headers as Record<string, string>;
    for (const secret of [first.secret, second?.secret ?? '']) expect(new Verifier(secret).verify(during.body, headers)).toBeDefined();
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(headers['svc-signature']).toBe(hexOf(first.hmacKey, during.body));
    expect(second?.previousEndsAt).toBeGreaterThan(Date.now() + 23 * 3_600_000);

    const stored = opened.definitions.find(organizationId, first.id);
    const secrets = {
      sealed: stored?.secrets.sealed ?? '',
      previous: { sealed: stored?.secrets.previous?.sealed ?? '', endsAt: Date.now() },
    };
    await opened.definitions.change(organizationId, first.id, () => ({ secrets }));
    await deliver(opened, first.id);
    const after = await received(receiver, 2);
    expect(new Verifier(second?.secret ?? '').verify(after.body, after.headers as Record<string, string>)).toBeDefined();
    expect(() => new Verifier(first.secret).verify(after.body, after.headers as Record<string, string>)).toThrow('No matching');
    expect(after.headers['svc-signature']).toBe(hexOf(second?.hmacKey ?? '', after.body));
  });

  it('is encrypted in the database', async () => {
    const opened = await open();
    const { id, hmacKey, secret } = await created(opened, 'https://hooks.example.com');
    await opened.webhooks.rotateSecret(organizationId, id);
    const rows = JSON.stringify(await database.queries.selectFrom('webhooks').selectAll().execute());
    for (const text of [hmacKey, secret.slice('whsec_'.length)]) expect(rows).not.toContain(text);
  });
});

describe('a receiver', () => {
  it('that redirects has failed, and nobody follows', async () => {
    const other = await startReceiver();
    const receiver = await startReceiver((response) => response.writeHead(307, { Location: other.origin }).end());
    const opened = await open({ allowed: [`localhost:${receiver.port}`, `localhost:${other.port}`] });
    const { id } = await created(opened, receiver.origin);
    const deliveryId = await deliver(opened, id);
    await vi.waitFor(async () => {
      const found = await opened.webhooks.delivery(organizationId, id, deliveryId);
      expect(found?.delivery).toMatchObject({ state: 'pending', attempts: 1, last_status: 307 });
    });
    expect(other.posts).toEqual([]);
  });

  it('that answers 410 gets nothing any more; the other webhooks are told, whatever events they ask for', async () => {
    const receiver = await startReceiver(410);
    const watcher = await startReceiver();
    const opened = await open({ allowed: [`localhost:${receiver.port}`, `localhost:${watcher.port}`] });
    await opened.webhooks.create(organizationId, { ...given(watcher.origin), events: ['alert.triggered'] });
    const { id } = await created(opened, `${receiver.origin}/hook/planted?token=planted`);
    const deliveryId = await deliver(opened, id);
    const told = JSON.parse((await received(watcher)).body) as object;
    expect(told).toMatchObject({
      type: 'webhook.disabled',
      data: { webhook_id: id, delivery_id: deliveryId, destination: `${receiver.origin}/…` },
    });
    expect(JSON.stringify(told)).not.toContain('planted');
    await vi.waitFor(async () => {
      expect((await opened.webhooks.find(organizationId, id))?.webhook.disabled?.reason).toBe('gone');
    });
    expect(receiver.posts).toHaveLength(1);
  });

  it('that is given up is told by its origin alone: its path and query are a secret', async () => {
    const receiver = await startReceiver(500);
    const watcher = await startReceiver();
    const opened = await open({ allowed: [`localhost:${receiver.port}`, `localhost:${watcher.port}`] });
    await opened.webhooks.create(organizationId, { ...given(watcher.origin), events: ['alert.triggered'] });
    const { id } = await created(opened, `${receiver.origin}/hook/planted?token=planted`);
    const deliveryId = await deliver(opened, id);
    await vi.waitFor(async () => {
      expect((await opened.webhooks.delivery(organizationId, id, deliveryId))?.delivery).toMatchObject({ state: 'pending', attempts: 1 });
    });
    // As if its last attempt were due now.
    await opened.events.queries
      .updateTable('deliveries')
      .set({ attempts: 9, step: 9, due_at: Date.now() })
      .where('id', '=', deliveryId)
      .execute();
    opened.outbox.wake([{ organizationId, target: { kind: 'webhook', webhookId: id } }]);
    const told = (await received(watcher)).body;
    expect(JSON.parse(told)).toMatchObject({
      type: 'webhook.exhausted',
      data: { webhook_id: id, delivery_id: deliveryId, destination: `${receiver.origin}/…`, reason: 'The receiver answered 500.' },
    });
    expect(told).not.toContain('planted');
  });

  it('shows what it answered in the log, of which 4 KiB are kept', async () => {
    const receiver = await startReceiver((response) => response.writeHead(500, { 'X-Why': 'because' }).end('x'.repeat(100_000)));
    const opened = await open({ allowed: [`localhost:${receiver.port}`] });
    const { id } = await created(opened, receiver.origin);
    const deliveryId = await deliver(opened, id);
    await vi.waitFor(async () => {
      expect((await opened.webhooks.delivery(organizationId, id, deliveryId))?.attempts).toHaveLength(1);
    });
    const [attempt] = (await opened.webhooks.delivery(organizationId, id, deliveryId))?.attempts ?? [];
    expect(attempt).toMatchObject({ number: 1, outcome: 'failed', status: 500, reason: 'The receiver answered 500.' });
    expect(attempt?.request_head).toContain(`webhook-id: ${deliveryId}\n`);
    expect(attempt?.response_head).toMatch(/^HTTP\/1\.1 500 Internal Server Error\n(?:.*\n)*X-Why: because\n/);
    expect(Buffer.byteLength(attempt?.response_head ?? '')).toBe(4096);
  });
});

/** Accepts connections on every address of this machine, and counts them. */
async function listen(): Promise<{ readonly port: number; readonly connections: () => number; readonly server: Server }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return { server, connections: () => connections, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

describe('a destination in a closed network', () => {
  it('is refused when it is saved and when it is delivered to, in every form; nothing is contacted', async () => {
    const listener = await listen();
    const opened = await open();
    const addresses = Object.values(closedHosts).flatMap((host) => [
      `https://${host}:${listener.port}/hook`,
      `http://${host}:${listener.port}/hook`,
    ]);
    expect(addresses.length).toBeGreaterThanOrEqual(120);
    expect(addresses.filter((address) => opened.webhooks.destinationProblem(address) === undefined)).toEqual([]);
    const { id } = await created(opened, 'https://hooks.example.com');
    for (const destination of addresses) {
      await opened.definitions.change(organizationId, id, () => ({ destination }));
      const tested = await opened.webhooks.test(organizationId, id);
      expect([destination, tested?.delivery.state, tested?.delivery.failure]).toEqual([destination, 'failed', 'refused']);
    }
    expect(listener.connections()).toBe(0);
    listener.server.close();
  });

  it('is not reached by a name that is public when it is saved and private when it is dialled', async () => {
    const listener = await listen();
    const addresses: LookupAddress[][] = [
      [{ address: '127.0.0.1', family: 4 }],
      [{ address: '::1', family: 6 }],
      [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
    ];
    let current = addresses[0] ?? [];
    const resolve: LookupFunction = (_hostname, _options, callback) => callback(null, current);
    const opened = await open({ resolvers: { listed: resolve, unlisted: resolve } });
    const { id } = await created(opened, `https://rebinding.example.com:${listener.port}/hook`);
    for (const found of addresses) {
      current = found;
      const tested = await opened.webhooks.test(organizationId, id);
      expect(tested?.delivery).toMatchObject({ state: 'failed', last_status: null });
    }
    expect(listener.connections()).toBe(0);
    listener.server.close();
  });
});
