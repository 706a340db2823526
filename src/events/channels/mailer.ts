import type { AttemptOutcome } from '../../model/events/attempt.ts';
import { maxHeadBytes } from '../../model/events/attempt.ts';
import { messageOf } from '../../model/errors.ts';
import type { MailContent } from './payloads/mail.ts';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** `implicit` from the first byte, `starttls` or no mail at all, `none`: unencrypted. */
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly login: { readonly user: string; readonly password: string } | undefined;
}

export interface MailerOptions {
  readonly server: MailServer;
  /** An address, or `Name <address>`. */
  readonly sender: string;
  /** From the look-up of the server's name to its last reply. */
  readonly timeoutMs?: number;
  /** Trusted certificates in place of Node's own. */
  readonly ca?: string;
}

export interface Mail extends MailContent {
  readonly to: readonly string[];
  /** The same for all attempts, so that mail programs show a repeated mail once. */
  readonly id: string;
  /** Mails with the same topic are one conversation. */
  readonly topic: string;
}

/** Sends a mail, once. A failure is a value. @throws the reason of the signal, once it has aborted. */
export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<AttemptOutcome>;

const defaultTimeoutMs = 20_000;

/** What speaks SMTP has forty files, which a deployment without a mail server does without. */
async function openTransport({ server, timeoutMs, ca }: MailerOptions) {
  const { createTransport } = await import('nodemailer');
  const { host, port, tls, login } = server;
  return createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(login === undefined ? {} : { auth: { user: login.user, pass: login.password } }),
    tls: { minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    socketCloseTimeout: 0,
    maxResponseSize: 64 * 1024,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Speaks SMTP with the deployment's mail server, over a connection for each mail. */
export function makeMailer({ timeoutMs = defaultTimeoutMs, ...options }: MailerOptions): SendMail {
  const { sender } = options;
  // Not with the first mail: without a free descriptor Node finds no package, and remembers that.
  const transport = openTransport({ ...options, timeoutMs });
  // Each mail says so.
  transport.catch(() => undefined);
  return async ({ to, subject, text, html, id, topic }, signal) => {
    signal.throwIfAborted();
    const deadline = AbortSignal.timeout(timeoutMs);
    const domain = /@([^>]+)>?$/.exec(sender)?.[1] ?? 'localhost';
    try {
      const opened = await transport;
      const sent = await opened.sendMail({
        from: sender,
        to: to.map((address) => ({ name: '', address })),
        subject: literally(subject),
        text,
        html,
        messageId: `<${idText(id)}@${domain}>`,
        references: `<${idText(topic)}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        signal: AbortSignal.any([signal, deadline]),
      });
      return { kind: 'delivered', response: replyOf(sent.response) };
    } catch (error) {
      signal.throwIfAborted();
      return deadline.aborted ? failed(`The mail server did not answer within ${timeoutMs / 1000} s.`, undefined) : outcomeOf(error);
    }
  };
}

/** Bytes of text in an encoded word, which has at most 75 characters (RFC 2047 §2). */
const wordBytes = 42;

/** A caller's text may look like an encoded word, which mail programs would decode. Such a text is encoded itself, so that it is shown as it is. */
function literally(text: string): string {
  if (!text.includes('=?')) return text;
  const words: string[] = [''];
  for (const character of text) {
    const last = words.at(-1) ?? '';
    if (Buffer.byteLength(last + character) > wordBytes) words.push(character);
    else words[words.length - 1] = last + character;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}

interface SmtpError {
  readonly code?: string;
  /** The server's reply. */
  readonly response?: string | false;
  readonly responseCode?: number;
}

/** Replies of 5xx to a mail are final (RFC 5321 §4.2.1); a refused login may be fixed by the operator. */
function outcomeOf(error: unknown): AttemptOutcome {
  const { code, response, responseCode } = (error ?? {}) as SmtpError;
  const reply = typeof response === 'string' && response !== '' ? response : undefined;
  const said = reply === undefined ? '' : `: ${oneLine(reply)}`;
  const isFinal = responseCode !== undefined && responseCode >= 500;
  switch (code) {
    case 'EAUTH':
      return failed(`The mail server refused the login of GATELOG_SMTP_URL${said || `: ${messageOf(error)}`}`, reply);
    case 'ETLS':
      return failed(`There is no encrypted connection to the mail server: ${oneLine(messageOf(error))}`, reply);
    case 'EENVELOPE':
    case 'EMESSAGE': {
      const reason = `The mail server refused the mail${said || `: ${messageOf(error)}`}`;
      return isFinal ? { kind: 'refused', reason, response: replyOf(reply), disables: false } : failed(reason, reply);
    }
    default:
      return failed(`There is no connection to the mail server: ${oneLine(messageOf(error))}`, reply);
  }
}

function failed(reason: string, reply: string | undefined): AttemptOutcome {
  return { kind: 'failed', reason, response: replyOf(reply), retryAfterMs: undefined };
}

/** A reply as the log of deliveries keeps it: its code as the status. */
function replyOf(reply: string | undefined): { readonly status: number; readonly head: string } | undefined {
  return reply === undefined ? undefined : { status: Number.parseInt(reply, 10) || 0, head: reply.slice(0, maxHeadBytes / 4) };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 300);
}

function idText(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]/g, '-').slice(0, 200);
}
