import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { AttemptOutcome } from '../../model/events/attempt.ts';
import { type Mail, makeMailer, type MailerOptions } from './mailer.ts';
import { mailContent } from './payloads/mail.ts';
import { closeMailServers, type MailServerOptions, startMailServer, type TestMailServer } from './testing/mail-server.ts';
import { messages } from './testing/messages.ts';

afterEach(closeMailServers);

const login = { user: 'gatelog', password: 'planted-password' } as const;
const never = new AbortController().signal;
const mail: Mail = { ...mailContent(messages.grouped), to: ['ops@example.com', 'team@example.com'], id: 'msg_1', topic: 'incident-1' };

async function send(
  server: TestMailServer,
  options: Partial<MailerOptions['server']>,
  given: Partial<MailerOptions> = {},
): Promise<AttemptOutcome> {
  const { port, ca } = server;
  const sender = 'Gatelog alerts <alerts@example.com>';
  return makeMailer({ server: { host: 'localhost', port, tls: 'implicit', login: undefined, ...options }, sender, ca, ...given })(
    mail,
    never,
  );
}

describe('a mail', () => {
  const ways: readonly MailServerOptions[] = [{ tls: 'implicit', login }, { tls: 'starttls', login }, { tls: 'implicit' }, { tls: 'none' }];
  it.each(ways)('arrives at a server of $tls with login $login', async (options) => {
    const server = await startMailServer(options);
    const outcome = await send(server, { tls: options.tls, login: options.login });
    expect(outcome).toMatchObject({ kind: 'delivered', response: { status: 250 } });
    expect(server.mails).toMatchObject([
      { from: 'alerts@example.com', to: mail.to, user: options.login?.user, isEncrypted: options.tls !== 'none' },
    ]);
  });

  it('has both texts, its sender and recipients, and headers that answer no mail and collect an incident', async () => {
    const server = await startMailServer({ tls: 'none' });
    await send(server, { tls: 'none' });
    const source = server.mails[0]?.source ?? '';
    for (const line of [
      'From: Gatelog alerts <alerts@example.com>',
      'To: ops@example.com, team@example.com',
      'Subject: [Gatelog] Triggered: High spend',
      'Message-ID: <msg_1@example.com>',
      'References: <incident-1@example.com>',
      'Auto-Submitted: auto-generated',
      'Content-Type: multipart/alternative;',
    ]) {
      expect(source.split('\r\n').some((each) => each.startsWith(line))).toBe(true);
    }
    expect(source).toContain('and 41 more');
    expect(source).toMatch(/Content-Type: text\/plain; charset=utf-8[\s\S]+Content-Type: text\/html; charset=utf-8/);
  });

  it('shows a name that looks like an encoded word as it was written', async () => {
    const server = await startMailServer({ tls: 'none' });
    const { port } = server;
    const mailer = makeMailer({ server: { host: 'localhost', port, tls: 'none', login: undefined }, sender: 'alerts@example.com' });
    const name = '=?utf-8?B?WW91ciBhY2NvdW50IGlzIGxvY2tlZA==?= =?utf-8?Q?=C3=A9?= é and a tail that is long enough for a second word';
    await mailer({ ...mail, subject: `[Gatelog] Triggered: ${name}` }, never);
    const [, header = ''] = /^Subject:(.*(?:\r\n[ \t].*)*)/m.exec(server.mails[0]?.source ?? '') ?? [];
    const words = header
      .trim()
      .split(/\s+/)
      .map((word) => /^=\?UTF-8\?B\?([^?]*)\?=$/.exec(word)?.[1]);
    expect(words.map((word) => Buffer.from(word ?? '', 'base64').toString()).join('')).toBe(`[Gatelog] Triggered: ${name}`);
  });

  it('has no other header or recipient, whatever its texts are', async () => {
    const server = await startMailServer({ tls: 'none' });
    const { port } = server;
    const mailer = makeMailer({ server: { host: 'localhost', port, tls: 'none', login: undefined }, sender: 'alerts@example.com' });
    const hostile = { ...mailContent(messages.hostile), to: ['ops@example.com'], id: 'x>\r\nBcc: y@evil.example', topic: '\r\n\r\nz' };
    expect((await mailer(hostile, never)).kind).toBe('delivered');
    const [received] = server.mails;
    expect(received?.to).toEqual(['ops@example.com']);
    expect(received?.source.split('\r\n\r\n')[0]).not.toMatch(/^(?:Bcc|Cc):/im);
  });
});

/** The outcome in brief. */
function briefly(outcome: AttemptOutcome): string {
  if (JSON.stringify(outcome).includes('planted')) throw new Error('The password is told.');
  return outcome.kind === 'delivered' ? outcome.kind : `${outcome.kind}: ${outcome.reason}`;
}

describe('a mail that cannot be sent says why, without the password', () => {
  it('a wrong login', async () => {
    const server = await startMailServer({ tls: 'implicit', login });
    const outcome = await send(server, { login: { user: 'gatelog', password: 'planted-wrong' } });
    expect(briefly(outcome)).toMatch(
      /^failed: The mail server refused the login of GATELOG_SMTP_URL: 535 5\.7\.8 Authentication credentials invalid/,
    );
    expect(server.mails).toEqual([]);
  });

  it('a server that wants a login', async () => {
    const server = await startMailServer({ tls: 'implicit', login });
    expect(briefly(await send(server, {}))).toMatch(/^refused: The mail server refused the mail: 530/);
  });

  it('a server without STARTTLS: the password is not sent', async () => {
    const server = await startMailServer({ tls: 'none', login });
    expect(briefly(await send(server, { tls: 'starttls', login }))).toMatch(/^failed: There is no encrypted connection to the mail server/);
  });

  it('a certificate that is not trusted', async () => {
    const server = await startMailServer({ tls: 'implicit', login });
    const { port } = server;
    const mailer = makeMailer({ server: { host: 'localhost', port, tls: 'implicit', login }, sender: 'alerts@example.com' });
    expect(briefly(await mailer(mail, never))).toMatch(/^failed: .*self-signed certificate/);
  });

  it('recipients that are refused for good, or for now', async () => {
    const gone = await startMailServer({ tls: 'none', refuse: () => ({ message: 'no such mailbox', responseCode: 550 }) });
    expect(briefly(await send(gone, { tls: 'none' }))).toMatch(/^refused: The mail server refused the mail: 550 no such mailbox/);
    const busy = await startMailServer({ tls: 'none', refuse: () => ({ message: 'greylisted', responseCode: 451 }) });
    expect(briefly(await send(busy, { tls: 'none' }))).toMatch(/^failed: .*451 greylisted/);
  });

  it('no server, and a server that never greets', async () => {
    const gone = await startMailServer({ tls: 'none' });
    await closeMailServers();
    expect(briefly(await send(gone, { tls: 'none' }))).toMatch(/^failed: There is no connection to the mail server: .*ECONNREFUSED/);
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve);
    });
    silent.unref();
    const { port } = silent.address() as AddressInfo;
    expect(briefly(await send({ ...gone, port }, { tls: 'none' }, { timeoutMs: 200 }))).toMatch(
      /^failed: (?:The mail server did not answer within 0\.2 s|There is no connection to the mail server: .*)/,
    );
  });
});

it('a mail that is stopped says so', async () => {
  const stop = new AbortController();
  const server = await startMailServer({
    tls: 'none',
    refuse: () => {
      stop.abort(new Error('the service stops'));
      return undefined;
    },
  });
  const { port } = server;
  const mailer = makeMailer({ server: { host: 'localhost', port, tls: 'none', login: undefined }, sender: 'alerts@example.com' });
  await expect(mailer(mail, stop.signal)).rejects.toThrow('the service stops');
  await expect(mailer(mail, stop.signal)).rejects.toThrow('the service stops');
});
