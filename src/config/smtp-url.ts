import { isEncoded } from './percent-encoding.ts';

/** A mail server and how to log in there. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `implicit` from the first byte, `starttls` or nothing at all, `none`: unencrypted. */
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly login: { readonly user: string; readonly password: string } | undefined;
  /** The sender of mails, unless another setting names one. */
  readonly from: string | undefined;
}

export const smtpUrlForm =
  'smtps://user:password@host:port?from=alerts@example.com; smtp:// for STARTTLS, with ?tls=none for a server without encryption, which takes no login';

const parameters = new Set(['from', 'tls']);

/** Reads the address of a mail server. A problem never quotes it: it holds a password. */
export function readSmtpUrl(text: string): { readonly value: SmtpServer } | { readonly problem: string } {
  if (!URL.canParse(text)) return { problem: 'is not an address' };
  const url = new URL(text);
  const problem = wrongParts(url) ?? wrongLogin(url);
  if (problem !== undefined) return { problem };
  const { hostname, port, username, password, searchParams } = url;
  const isImplicit = url.protocol === 'smtps:';
  const withoutTls = searchParams.has('tls') ? 'none' : 'starttls';
  return {
    value: {
      host: hostname.startsWith('[') ? hostname.slice(1, -1) : decodeURIComponent(hostname),
      port: port === '' ? defaultPorts[isImplicit ? 'implicit' : 'starttls'] : Number(port),
      tls: isImplicit ? 'implicit' : withoutTls,
      login: username === '' ? undefined : { user: decodeURIComponent(username), password: decodeURIComponent(password) },
      from: searchParams.get('from') ?? undefined,
    },
  };
}

const defaultPorts = { implicit: 465, starttls: 587 } as const;

function wrongParts({ protocol, hostname, pathname, searchParams, hash }: URL): string | undefined {
  if (protocol !== 'smtps:' && protocol !== 'smtp:') return 'starts neither with smtps:// nor with smtp://';
  if (hostname === '') return 'names no host';
  if (!['', '/'].includes(pathname) || hash !== '') return 'holds a path or a fragment';
  if ([...searchParams.keys()].some((name) => !parameters.has(name))) return 'has a parameter besides from and tls';
  const from = searchParams.get('from');
  if (from !== null && readMailSender(from) === undefined) return 'has a from that is not a mail address';
  const tls = searchParams.get('tls');
  return tls === null || (tls === 'none' && protocol === 'smtp:') ? undefined : 'has a tls that is not none, or smtps:// with it';
}

function wrongLogin({ hostname, username, password, searchParams }: URL): string | undefined {
  if (![hostname, username, password].every(isEncoded)) return 'has a % that is not followed by two hexadecimal digits';
  if ((username === '') !== (password === '')) return 'has a user without a password, or a password without a user';
  return username !== '' && searchParams.has('tls') ? 'would send its password unencrypted' : undefined;
}

/** `address` or `Name <address>`. @returns the text, undefined when it is neither. */
export function readMailSender(text: string): string | undefined {
  return /^(?:[^\p{Cc}<>"@,;:\\]{1,100} <[^\p{Cc}\s<>"@,;:\\]{1,64}@[^\p{Cc}\s<>"@,;:\\]{1,255}>|[^\p{Cc}\s<>"@,;:\\]{1,64}@[^\p{Cc}\s<>"@,;:\\]{1,255})$/u.test(
    text,
  )
    ? text
    : undefined;
}
