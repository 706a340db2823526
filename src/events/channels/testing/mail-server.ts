import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { selfSigned } from '../../../gateway/testing/self-signed.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The user that logged in. */
  readonly user: string | undefined;
  readonly isEncrypted: boolean;
  readonly source: string;
}

export interface TestMailServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** Of its certificate, for `localhost`, which signs itself. */
  readonly ca: string;
}

export interface MailServerOptions {
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly login?: { readonly user: string; readonly password: string };
  /** Replies to a recipient; undefined accepts. */
  readonly refuse?: (recipient: string) => { readonly message: string; readonly responseCode: number } | undefined;
}

const opened: SMTPServer[] = [];

export async function closeMailServers(): Promise<void> {
  await Promise.all(
    opened.splice(0).map(
      (server) =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
        }),
    ),
  );
}

/** An SMTP server on 127.0.0.1 that keeps what it gets. */
export async function startMailServer({ tls, login, refuse = () => undefined }: MailServerOptions): Promise<TestMailServer> {
  const mails: ReceivedMail[] = [];
  const certificate = selfSigned('localhost');
  const server = new SMTPServer({
    ...certificate,
    secure: tls === 'implicit',
    hideSTARTTLS: tls === 'none',
    disabledCommands: [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(login === undefined ? ['AUTH'] : [])],
    authOptional: login === undefined,
    closeTimeout: 100,
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      if (username === login?.user && password === login?.password) done(null, { user: username });
      else done(Object.assign(new Error('5.7.8 Authentication credentials invalid'), { responseCode: 535 }));
    },
    onRcptTo: ({ address }, _session, done) => {
      const refusal = refuse(address);
      if (refusal === undefined) done();
      else done(Object.assign(new Error(refusal.message), { responseCode: refusal.responseCode }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: typeof session.user === 'string' ? session.user : undefined,
          isEncrypted: session.secure,
          source: Buffer.concat(chunks).toString('utf8'),
        });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  opened.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { port: (server.server.address() as AddressInfo).port, mails, ca: certificate.cert };
}
