import { afterEach, describe, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { makeCipher } from '../../auth/sealing.ts';
import type { StoredChannel } from '../../model/events/channel.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { MailAllowance, type MailPolicy } from './mail-policy.ts';
import { makeMailer } from './mailer.ts';
import { Poster } from './post.ts';
import type { ChannelMessage } from './channel-message.ts';
import { channelSender } from '../targets/testing/channel-sender.ts';
import { type ChannelStore, makeChannelStore } from './stored-channels.ts';
import { closeMailServers, startMailServer } from './testing/mail-server.ts';
import { messages } from './testing/messages.ts';
import { guardAllowing } from './testing/receiver.ts';

afterEach(closeMailServers);

const [one, other] = ['org-1', 'org-2'] as OrganizationId[] as [OrganizationId, OrganizationId];
const mailTo = (...to: string[]) => ({ type: 'email', to }) as const;
const numbered = (from: number, count: number): string[] => Array.from({ length: count }, (_, index) => `user-${from + index}@example.com`);

/** The rules of organisations, each a list of channels. */
class Rules {
  private readonly channels = new Map<OrganizationId, readonly StoredChannel[]>();
  private readonly store: ChannelStore;

  constructor(policy: Partial<MailPolicy>) {
    this.store = makeChannelStore({
      cipher: makeCipher(Buffer.alloc(32, 1), 'channels'),
      guard: guardAllowing(),
      webhookOf: () => undefined,
      mail: { domains: [], maxRecipients: 20, maxPerHour: 300, ...policy },
      channelsOf: (organizationId) => this.channels.get(organizationId) ?? [],
      newId: v7,
    });
  }

  /** Stores a rule. @param present its channels until now. @returns them, or the fault. */
  add(owner: OrganizationId, to: readonly string[], present: readonly StoredChannel[] = []): readonly StoredChannel[] | string {
    const result = this.store.store(owner, [mailTo(...to)], present);
    if (!result.ok) return `${JSON.stringify(result.fault.path)} ${result.fault.message}`;
    const others = (this.channels.get(owner) ?? []).filter((channel) => !present.includes(channel));
    this.channels.set(owner, [...others, ...result.value.channels]);
    return result.value.channels;
  }
}

describe('recipients of mail', () => {
  it('are in the domains of the operator, where he names some', () => {
    const rules = new Rules({ domains: ['example.com', 'example.org'], maxRecipients: 1 });
    expect(rules.add(one, [...numbered(0, 10), 'Ops@EXAMPLE.org'])).toHaveLength(1);
    for (const address of ['a@evil.example', 'a@sub.example.com', 'a@example.com.evil.example']) {
      expect(rules.add(one, ['ops@example.com', address])).toMatch(
        /^\[0,"to"\] This deployment sends mail to example\.com, example\.org only/,
      );
    }
  });

  it('are else a number of different ones over all rules of an organisation, and of each organisation by itself', () => {
    const rules = new Rules({});
    const first = rules.add(one, numbered(0, 10));
    rules.add(one, numbered(5, 10));
    expect(rules.add(one, numbered(0, 15))).toHaveLength(1);
    expect(rules.add(one, numbered(14, 8))).toMatch(
      /at most 20 different addresses \(GATELOG_MAIL_RECIPIENTS_MAX\), and with these it would be 22/,
    );
    expect(rules.add(other, numbered(14, 8))).toHaveLength(1);
    // What a rule mails already, it may go on to mail, and replace.
    expect(rules.add(one, numbered(0, 10), first as readonly StoredChannel[])).toHaveLength(1);
  });

  it('that a rule replaces count no more', () => {
    const rules = new Rules({});
    const first = rules.add(one, numbered(0, 10));
    rules.add(one, numbered(100, 10));
    expect(rules.add(one, numbered(50, 10), first as readonly StoredChannel[])).toHaveLength(1);
  });
});

describe('mails of an organisation', () => {
  const content = { ...messages.grouped };
  const store = { open: () => null };
  const messageOf = (id: string): ChannelMessage => ({
    id,
    type: 'alert.triggered',
    content,
    body: '',
    sentAt: 0,
  });

  it('in an hour have a bound, by recipients; what is not sent says so, and another organisation sends on', async () => {
    const server = await startMailServer({ tls: 'none' });
    const send = makeMailer({
      server: { host: 'localhost', port: server.port, tls: 'none', login: undefined },
      sender: 'alerts@example.com',
    });
    let now = 0;
    const sendTo = channelSender({
      store,
      poster: new Poster({ guard: guardAllowing(), now: Date.now }),
      mail: { send, domains: [], allowance: new MailAllowance(10, () => now) },
      pagerDutyUrl: 'http://localhost:1',
    });
    const channel = { id: 'c', type: 'email', shown: { to: numbered(0, 4) }, sealed: null } as const;
    const outcomes = [];
    for (const id of ['1', '2', '3']) outcomes.push((await sendTo(one, channel, messageOf(id))).outcome);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['delivered', 'delivered', 'refused']);
    expect(outcomes[2]).toMatchObject({ isUnsent: true, reason: expect.stringContaining('GATELOG_MAIL_PER_HOUR') as string });
    expect((await sendTo(other, channel, messageOf('4'))).outcome.kind).toBe('delivered');
    now = 3_600_000;
    expect((await sendTo(one, channel, messageOf('5'))).outcome.kind).toBe('delivered');
    expect(server.mails).toHaveLength(4);
  });

  it('go to no domain that the operator has taken out since', async () => {
    const server = await startMailServer({ tls: 'none' });
    const send = makeMailer({
      server: { host: 'localhost', port: server.port, tls: 'none', login: undefined },
      sender: 'alerts@example.com',
    });
    const sendTo = channelSender({
      store,
      poster: new Poster({ guard: guardAllowing(), now: Date.now }),
      mail: { send, domains: ['example.org'], allowance: new MailAllowance(10, () => 0) },
      pagerDutyUrl: 'http://localhost:1',
    });
    const channel = { id: 'c', type: 'email', shown: { to: ['ops@example.org', 'ops@example.com'] }, sealed: null } as const;
    const { outcome } = await sendTo(one, channel, messageOf('1'));
    expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringContaining('and not to example.com') as string });
    expect(server.mails).toEqual([]);
  });
});
