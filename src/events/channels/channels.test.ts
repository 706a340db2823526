import { afterEach, describe, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { makeCipher } from '../../auth/sealing.ts';
import { channelsSchema, shownChannelSchema } from '../../contract/events/channels.ts';
import { readBody } from '../../contract/read-body.ts';
import type { ChannelInput, StoredChannel } from '../../model/events/channel.ts';
import type { Fault, Result } from '../../model/fault.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { MailAllowance, type MailPolicy } from './mail-policy.ts';
import { Poster } from './post.ts';
import type { ChannelMessage } from './channel-message.ts';
import type { Attempted } from '../targets/target.ts';
import { channelSender } from '../targets/testing/channel-sender.ts';
import { makeMailer } from './mailer.ts';
import { makeChannelStore, type StoredChannels } from './stored-channels.ts';
import { closeMailServers, startMailServer } from './testing/mail-server.ts';
import { messages } from './testing/messages.ts';
import { closeReceivers, guardAllowing, type Receiver, startReceiver } from './testing/receiver.ts';

afterEach(async () => {
  closeReceivers();
  await closeMailServers();
});

const organizationId = 'org-1' as OrganizationId;
const routingKey = 'e93facc04764012d7bfb002500d5d1a6';
const webhookId = '0193a0c4-0000-7000-8000-000000000001';

const anyMail: MailPolicy = { domains: [], maxRecipients: 20, maxPerHour: 300 };

interface StoreGiven {
  readonly canMail?: boolean;
  readonly secret?: number;
}

const storeWith = (options: StoreGiven = {}) =>
  makeChannelStore({
    cipher: makeCipher(Buffer.alloc(32, options.secret ?? 1), 'channels'),
    guard: guardAllowing('localhost'),
    webhookOf: (_organizationId, wanted) =>
      ('id' in wanted ? wanted.id === webhookId : wanted.name === 'Billing') ? webhookId : undefined,
    mail: options.canMail === false ? undefined : anyMail,
    channelsOf: () => [],
    newId: v7,
  });

function parsed(body: unknown): Result<readonly ChannelInput[]> {
  return readBody(channelsSchema, body);
}

function stored(body: unknown, present: readonly StoredChannel[] = []): Result<StoredChannels> {
  const given = parsed(body);
  return given.ok ? storeWith().store(organizationId, given.value, present) : given;
}

function kept(result: Result<StoredChannels>): StoredChannels {
  if (!result.ok) throw new Error(result.fault.message);
  return result.value;
}

function faultOf(result: Result<unknown>): Fault {
  if (result.ok) throw new Error('There is no fault.');
  return result.fault;
}

describe('channels as they are given', () => {
  const slack = 'https://hooks.slack.com/services/T000/B000/planted';
  const refused: readonly [given: unknown, path: readonly (string | number)[], sentence: RegExp][] = [
    [{}, [], /takes a list of at most 10 channels/],
    [[{}], [0, 'type'], /^`type` is one of webhook, email, slack, teams, pagerduty\.$/],
    [[{ type: 'sms' }], [0, 'type'], /is one of/],
    [[{ type: 'slack' }], [0, 'url'], /has a `url`/],
    [[{ type: 'slack', to: 'a@example.com' }], [0, 'to'], /A channel of the type slack has no `to`; it has `url`\./],
    [[{ type: 'webhook' }], [0, 'destination'], /has one of three/],
    [[{ type: 'webhook', webhookId, destination: slack }], [0, 'destination'], /has one of three/],
    [[{ type: 'webhook', webhook: 'Unknown' }], [0, 'webhook'], /no such webhook/],
    [[{ type: 'webhook', webhookId: 'x' }], [0, 'webhookId'], /identifier of one of your webhooks/],
    [[{ type: 'webhook', webhookId: '0193a0c4-0000-7000-8000-000000000009' }], [0, 'webhookId'], /no such webhook/],
    [[{ type: 'webhook', destination: slack, secret: 'short' }], [0, 'secret'], /whsec_/],
    [[{ type: 'pagerduty', routingKey: 'short' }], [0, 'routingKey'], /32 letters and digits/],
    [[{ type: 'slack', url: 'https://10.0.0.1/x' }], [0, 'url'], /^`url` is not on the public internet/],
    [[{ type: 'teams', url: 'http://hooks.example.com/x' }], [0, 'url'], /^`url` uses plain http/],
    [[{ type: 'webhook', destination: 'https://u:planted@example.com/' }], [0, 'destination'], /user name or password/],
    [[{ id: webhookId }], [0, 'id'], /no channel with this `id`/],
    [Array.from({ length: 11 }, () => ({ type: 'slack', url: slack })), [], /at most 10/],
    ...[
      'ops',
      'ops@',
      '@example.com',
      'Ops <ops@example.com>',
      'ops@example.com\r\nBcc: x@evil.example',
      'ops@example.com, x@evil.example',
      '"a b"@example.com',
      `${'a'.repeat(65)}@example.com`,
      `a@${'b'.repeat(64)}.com`,
      `a@${'b.'.repeat(130)}com`,
      'a@-b.com',
      'a@b..com',
      '',
    ].map((to): [unknown, readonly (string | number)[], RegExp] => [[{ type: 'email', to }], [0, 'to'], /^`to` takes a mail address/]),
    [[{ type: 'email', to: [] }], [0, 'to'], /^`to` takes a mail address/],
  ];
  it.each(refused)('%j is refused at %j', (given, path, sentence) => {
    const fault = faultOf(stored(given));
    expect(fault.path).toEqual(path);
    expect(fault.message).toMatch(sentence);
    expect(fault.message).not.toContain('planted');
  });

  it('a mail channel needs a mail server', () => {
    const given = parsed([{ type: 'email', to: 'ops@example.com' }]);
    const fault = faultOf(given.ok ? storeWith({ canMail: false }).store(organizationId, given.value, []) : given);
    expect([fault.path, fault.message]).toEqual([[0, 'type'], expect.stringContaining('GATELOG_SMTP_URL')]);
  });

  it.each(['ops@example.com', 'a.b+c@sub.example.co.uk', 'jörg@müller.example', 'root@localhost'])('%s is a mail address', (to) => {
    expect(kept(stored([{ type: 'email', to }])).channels[0]?.shown).toEqual({ to: [to] });
  });
});

describe('channels as they are stored and shown', () => {
  const all = [
    { type: 'webhook', webhookId },
    { type: 'webhook', destination: 'https://hooks.example.com/planted?key=planted' },
    { type: 'email', to: ['ops@example.com'] },
    { type: 'slack', url: 'https://hooks.slack.com/services/planted' },
    { type: 'teams', url: 'https://prod.example.com:443/workflows/planted?sig=planted' },
    { type: 'pagerduty', routingKey },
  ];

  it('hide their secrets, in the database too', () => {
    const { channels } = kept(stored(all));
    expect(channels.map(({ type, shown }) => ({ type, ...shown }))).toEqual([
      { type: 'webhook', webhookId },
      { type: 'webhook', destination: 'https://hooks.example.com/…' },
      { type: 'email', to: ['ops@example.com'] },
      { type: 'slack', url: 'https://hooks.slack.com/…' },
      { type: 'teams', url: 'https://prod.example.com/…' },
      { type: 'pagerduty', routingKey: '…d1a6' },
    ]);
    expect(JSON.stringify(channels)).not.toMatch(/planted|e93facc/);
    const answers = channels.map(({ id, type, shown }) => ({ id, type, ...shown, readable: true }));
    expect(z.array(shownChannelSchema.strict()).parse(answers)).toEqual(answers);
  });

  it('open for their organisation and in their place alone', () => {
    const store = storeWith();
    const { channels } = kept(stored(all));
    expect(channels.map((channel) => store.open(organizationId, channel))).toMatchObject([
      null,
      { type: 'webhook', destination: all[1]?.destination },
      null,
      { type: 'slack', url: all[3]?.url },
      { type: 'teams', url: all[4]?.url },
      { type: 'pagerduty', routingKey },
    ]);
    const [, webhook, , slack] = channels;
    if (webhook === undefined || slack === undefined) throw new Error('no channel');
    expect(store.open('org-2' as OrganizationId, webhook)).toBeUndefined();
    expect(store.open(organizationId, { ...webhook, sealed: slack.sealed })).toBeUndefined();
    expect(storeWith({ secret: 2 }).isReadable(organizationId, webhook)).toBe(false);
    expect(store.isReadable(organizationId, webhook)).toBe(true);
  });

  it('show the secret of a destination once, unless the caller gave it', () => {
    const given = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const { channels, secrets } = kept(
      stored([
        { type: 'webhook', destination: 'https://a.example.com/' },
        { type: 'webhook', destination: 'https://b.example.com/', secret: given },
      ]),
    );
    expect([...secrets.keys()]).toEqual([channels[0]?.id]);
    expect([...secrets.values()][0]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  it('are kept by their identifier, alone or as they were shown, and are not changed by it', () => {
    const { channels } = kept(stored(all));
    const shown = channels.map(({ id, type, shown: parts }) => ({ id, type, ...parts }));
    expect(kept(stored(shown, channels))).toEqual({ channels, secrets: new Map() });
    expect(kept(stored([{ id: channels[3]?.id }], channels)).channels).toEqual([channels[3]]);
    const changed = faultOf(stored([{ ...shown[3], url: 'https://evil.example.com/' }], channels));
    expect([changed.path, changed.message]).toEqual([[0, 'url'], expect.stringContaining('leave `id` out')]);
    expect(faultOf(stored([{ id: channels[3]?.id, type: 'teams' }], channels)).path).toEqual([0, 'type']);
    expect(faultOf(stored([{ id: channels[3]?.id }, { id: channels[3]?.id }], channels)).path).toEqual([1, 'id']);
  });
});

describe('channels that are given again', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const all = [
    { type: 'webhook', webhook: 'Billing' },
    { type: 'webhook', destination: 'https://hooks.example.com/a' },
    { type: 'webhook', destination: 'https://hooks.example.com/b', secret },
    { type: 'email', to: 'ops@example.com' },
    { type: 'slack', url: 'https://hooks.slack.com/services/1' },
    { type: 'pagerduty', routingKey },
  ];

  it('with the same content are the same', () => {
    const { channels } = kept(stored(all));
    expect(kept(stored(all.toReversed(), channels))).toEqual({ channels: channels.toReversed(), secrets: new Map() });
  });

  it.each([
    [0, { type: 'webhook', destination: 'https://hooks.example.com/c' }],
    [1, { type: 'webhook', destination: 'https://hooks.example.com/a', secret }],
    [2, { type: 'webhook', destination: 'https://hooks.example.com/b', secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` }],
    [3, { type: 'email', to: ['ops@example.com', 'team@example.com'] }],
    [4, { type: 'slack', url: 'https://hooks.slack.com/services/2' }],
    [5, { type: 'pagerduty', routingKey: routingKey.replace('e93', 'f93') }],
  ])('number %i with other content is another', (index, given) => {
    const { channels } = kept(stored(all));
    expect(kept(stored([given], channels)).channels[0]?.id).not.toBe(channels[index]?.id);
  });
});

describe('a message arrives', () => {
  const message: ChannelMessage = {
    id: 'msg_1',
    type: 'alert.triggered',
    content: { ...messages.grouped },
    body: '{"type":"alert.triggered"}',
    sentAt: Date.now(),
  };

  async function send(given: unknown, options: { readonly pager?: Receiver; readonly message?: ChannelMessage } = {}): Promise<Attempted> {
    const sendTo = channelSender({
      store: storeWith(),
      poster: new Poster({ guard: guardAllowing('localhost'), now: Date.now }),
      mail: undefined,
      pagerDutyUrl: `${options.pager?.origin ?? 'http://localhost:1'}/v2/enqueue`,
    });
    const [channel] = kept(stored([given])).channels;
    if (channel === undefined) throw new Error('no channel');
    return sendTo(organizationId, channel, options.message ?? message);
  }

  it.each(['slack', 'teams'])('in %s, by its address, which the log does not show', async (type) => {
    const receiver = await startReceiver();
    const { outcome, requestHead } = await send({ type, url: `${receiver.origin}/services/planted?sig=planted` });
    expect(outcome.kind).toBe('delivered');
    expect(receiver.posts).toMatchObject([
      { path: '/services/planted?sig=planted', body: expect.stringContaining('High spend') as string },
    ]);
    expect(requestHead).toMatch(/^POST \/\S* HTTP\/1\.1\nHost: localhost/);
    expect(requestHead).not.toContain('planted');
  });

  it('at a destination, signed with the secret of the channel', async () => {
    const receiver = await startReceiver();
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const { outcome, requestHead } = await send({ type: 'webhook', destination: `${receiver.origin}/planted`, secret });
    expect(outcome.kind).toBe('delivered');
    const [received] = receiver.posts;
    expect(new Webhook(secret).verify(received?.body ?? '', received?.headers as Record<string, string>)).toEqual({
      type: 'alert.triggered',
    });
    expect(received?.headers['webhook-id']).toBe('msg_1');
    expect(requestHead).not.toContain('planted');
  });

  it('at PagerDuty; what it does not take is not repeated', async () => {
    const pager = await startReceiver(202);
    expect((await send({ type: 'pagerduty', routingKey }, { pager })).outcome.kind).toBe('delivered');
    expect(JSON.parse(pager.posts[0]?.body ?? '')).toMatchObject({ routing_key: routingKey, event_action: 'trigger' });
    const strict = await startReceiver(400);
    expect((await send({ type: 'pagerduty', routingKey }, { pager: strict })).outcome).toMatchObject({ kind: 'refused', disables: false });
    const busy = await startReceiver((response) => response.writeHead(429, { 'Retry-After': '3' }).end());
    expect((await send({ type: 'pagerduty', routingKey }, { pager: busy })).outcome).toMatchObject({ kind: 'failed', retryAfterMs: 3000 });
  });

  it('at PagerDuty as a test, which is closed at once', async () => {
    const pager = await startReceiver(202);
    await send({ type: 'pagerduty', routingKey }, { pager, message: { ...message, content: { ...messages.test } } });
    const events = pager.posts.map(({ body }) => z.object({ event_action: z.string(), dedup_key: z.string() }).parse(JSON.parse(body)));
    expect(events.map(({ event_action: action }) => action)).toEqual(['trigger', 'resolve']);
    expect(events[0]?.dedup_key).toBe(events[1]?.dedup_key);
  });

  it('by mail, also about a webhook that fails', async () => {
    const server = await startMailServer({ tls: 'none' });
    const { port } = server;
    const mail = makeMailer({ server: { host: 'localhost', port, tls: 'none', login: undefined }, sender: 'alerts@example.com' });
    const sendTo = channelSender({
      store: storeWith(),
      poster: new Poster({ guard: guardAllowing(), now: Date.now }),
      mail: { send: mail, domains: [], allowance: new MailAllowance(300, () => 0) },
      pagerDutyUrl: 'http://localhost:1',
    });
    const [channel] = kept(stored([{ type: 'email', to: ['ops@example.com', 'team@example.com'] }])).channels;
    if (channel === undefined) throw new Error('no channel');
    const notice = { webhook_id: webhookId, name: 'Billing', destination: 'https://b.example.com', reason: 'The receiver answered 503.' };
    for (const each of [message, { ...message, type: 'webhook.disabled', content: notice } as const]) {
      expect(await sendTo(organizationId, channel, each)).toMatchObject({ outcome: { kind: 'delivered' }, requestHead: undefined });
    }
    expect(server.mails.map(({ to }) => to)).toEqual([
      ['ops@example.com', 'team@example.com'],
      ['ops@example.com', 'team@example.com'],
    ]);
    expect(server.mails[1]?.source).toContain('Subject: [Gatelog] A webhook is disabled');
  });

  it('not by mail once the deployment has no mail server', async () => {
    const outcome = (await send({ type: 'email', to: 'ops@example.com' })).outcome;
    expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringContaining('GATELOG_SMTP_URL') as string });
  });
});
