import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { faultSentence, loadConfig } from '../config/load.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import { openMigratedMetadata } from '../metadata/migrate.ts';
import type { StoredChannel } from '../model/events/channel.ts';
import type { NewDelivery } from '../model/events/event.ts';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import { type AlertChannels, makeAlertChannels } from './alert-channels.ts';
import { closeMailServers, type ReceivedMail, startMailServer, type TestMailServer } from './channels/testing/mail-server.ts';
import { closeReceivers, startReceiver } from './channels/testing/receiver.ts';
import { addDeliveries } from './log/add-deliveries.ts';
import type { Notice } from './targets/target.ts';
import type { WebhookDefinitions } from './webhooks/definitions.ts';
import { openWebhookScene, type SceneOptions, type WebhookScene } from './webhooks/testing/webhook-scene.ts';

const organizationId = '01890000-0000-7000-8000-000000000001' as OrganizationId;
const otherId = '01890000-0000-7000-8000-000000000002' as OrganizationId;
const patience = { timeout: 10_000, interval: 5 };
let folder: string;
let database: MetadataDatabase;
let server: TestMailServer;
let scene: WebhookScene | undefined;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-alert-channels-'));
  database = await openMigratedMetadata(folder, 'core', Date.now);
  server = await startMailServer({ tls: 'none' });
});
afterEach(async () => {
  await scene?.close();
  scene = undefined;
  await database.close();
  await closeMailServers();
  closeReceivers();
  rmSync(folder, { recursive: true });
});

function mailTo(id: string, ...to: readonly string[]): StoredChannel {
  return { id, type: 'email', shown: { to }, sealed: null };
}

/** Rules of both organisations; two of them mail to the same people. */
const rules: ReadonlyMap<OrganizationId, readonly { readonly id: string; readonly channels: readonly StoredChannel[] }[]> = new Map([
  [
    organizationId,
    [
      { id: 'rule-1', channels: [mailTo('channel-1', 'ops@example.com')] },
      { id: 'rule-2', channels: [mailTo('channel-2', 'ops@example.com')] },
    ],
  ],
  [otherId, [{ id: 'rule-3', channels: [mailTo('channel-3', 'other@example.com')] }]],
]);

function channelsOf(webhooks: Pick<WebhookDefinitions, 'of'>): AlertChannels {
  const loaded = loadConfig(
    {
      GATELOG_DATA_DIR: folder,
      GATELOG_SECRET_KEY: 'a'.repeat(64),
      GATELOG_SMTP_URL: `smtp://127.0.0.1:${server.port}?tls=none`,
      GATELOG_SMTP_FROM: 'gatelog@example.com',
    },
    { cores: 2 },
  );
  if ('faults' in loaded) throw new Error(loaded.faults.map(faultSentence).join('\n'));
  const alerts = { of: (organization: OrganizationId) => rules.get(organization) ?? [], deletedRule: () => undefined };
  return makeAlertChannels({ config: loaded.config, webhooks, alerts });
}

const requestPayloads: NonNullable<SceneOptions['requestPayloads']> = async (deliveries) =>
  new Map(deliveries.map(({ id }) => [id, { kind: 'body', body: '{}' }]));

async function open(receiver: string): Promise<WebhookScene> {
  const allowed = [new URL(receiver).host];
  scene = await openWebhookScene({ database, folder, allowed, requestPayloads, channels: (webhooks) => channelsOf(webhooks).targets });
  return scene;
}

async function createWebhook({ webhooks }: WebhookScene, name: string, destination: string): Promise<string> {
  const created = await webhooks.create(organizationId, {
    name,
    destination,
    filter: 'all',
    sampleRate: 100,
    events: ['request.completed'],
    includeData: true,
    isEnabled: undefined,
  });
  if (typeof created === 'string') throw new Error(created);
  return created.webhook.id;
}

/** Adds an event whose last attempt is due now. */
async function addLast({ events, outbox }: WebhookScene, webhookId: string): Promise<void> {
  const target = { kind: 'webhook', webhookId } as const;
  const subject = { kind: 'request', requestId: '01890000-0000-7000-8000-0000000000aa' as RequestId, createdAt: 0 } as const;
  const delivery: NewDelivery = { organizationId, target, type: 'request.completed', subject, occurredAt: Date.now() };
  const [id = ''] = await addDeliveries(events, [delivery], Date.now());
  await events.queries.updateTable('deliveries').set({ attempts: 9, step: 9 }).where('id', '=', id).execute();
  outbox.wake([delivery]);
  await vi.waitFor(async () => {
    const row = await events.queries.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
    expect(row).toMatchObject({ state: 'failed' });
  }, patience);
}

async function mailsOf(count: number): Promise<readonly ReceivedMail[]> {
  await vi.waitFor(() => expect(server.mails).toHaveLength(count), patience);
  return server.mails;
}

function noticeOf(organization: OrganizationId, webhookId: string): Notice {
  return {
    type: 'webhook.exhausted',
    organizationId: organization,
    target: { kind: 'webhook', webhookId },
    deliveryId: 'msg_1',
    eventType: 'request.completed',
    reason: 'The receiver answered 500.',
    at: 0,
  };
}

describe('a webhook that is given up', () => {
  it('is told by mail, once for each address of the organisation, and by its origin alone', async () => {
    const receiver = await startReceiver(500);
    const opened = await open(receiver.origin);
    await addLast(opened, await createWebhook(opened, 'billing', `${receiver.origin}/hook/planted?token=planted`));
    const [mail] = await mailsOf(1);
    expect(mail).toMatchObject({ from: 'gatelog@example.com', to: ['ops@example.com'] });
    const source = mail?.source.replaceAll('=\r\n', '') ?? '';
    for (const line of [
      'Subject: [Gatelog] An event could not be delivered',
      'Webhook: billing (',
      `Destination: ${receiver.origin}/`,
      'Reason: The receiver answered 500.',
      '"gatelog webhooks recover" sends it again',
    ]) {
      expect(source).toContain(line);
    }
    expect(source).not.toContain('planted');
  });

  it('is told once an hour: both channels of one address are told once, those of another organisation never', async () => {
    const { targets } = channelsOf({ of: () => [] });
    const told = [noticeOf(organizationId, 'a'), noticeOf(organizationId, 'a'), noticeOf(organizationId, 'b'), noticeOf(otherId, 'c')];
    expect(told.map((notice) => targets.noticesOf(notice).map(({ target }) => target))).toEqual([
      [{ kind: 'channel', alertId: 'rule-1', channelId: 'channel-1' }],
      [],
      [{ kind: 'channel', alertId: 'rule-1', channelId: 'channel-1' }],
      [{ kind: 'channel', alertId: 'rule-3', channelId: 'channel-3' }],
    ]);
  });

  it('that is disabled, as its receiver wants no more, is told by mail too', async () => {
    const receiver = await startReceiver(410);
    const opened = await open(receiver.origin);
    await addLast(opened, await createWebhook(opened, 'billing', receiver.origin));
    const [mail] = await mailsOf(1);
    expect(mail?.source).toContain('Subject: [Gatelog] A webhook is disabled');
    expect(mail?.source).toContain('It gets no events until it is enabled again.');
  });
});
