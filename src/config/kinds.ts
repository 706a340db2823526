import { isIP } from 'node:net';
import { type ClickHouseServers, clickhouseUrlForm, readClickHouseUrl } from './clickhouse-url.ts';
import { type GroupRole, readAdmitted, readRoles, readScopes, readWord } from './people-kinds.ts';
import type { Reading } from './reading.ts';
import { readMailSender, readSmtpUrl, type SmtpServer, smtpUrlForm } from './smtp-url.ts';

/** The value type of each kind of setting. */
export interface KindValues {
  readonly text: string;
  readonly host: string;
  readonly integer: number;
  readonly bytes: number;
  readonly duration: number;
  readonly region: string;
  readonly regions: Readonly<Record<string, string>>;
  readonly url: string;
  readonly urlPath: string;
  readonly networks: readonly string[];
  readonly header: string;
  readonly smtp: SmtpServer;
  readonly clickhouse: ClickHouseServers;
  readonly sender: string;
  readonly targets: readonly string[];
  readonly origins: readonly string[];
  readonly domains: readonly string[];
  readonly secret: string;
  readonly choice: string;
  readonly word: string;
  readonly scopes: readonly string[];
  readonly admitted: readonly string[];
  readonly roles: readonly GroupRole[];
}
export type KindName = keyof KindValues;

/** Limits of one setting: bounds of numbers, schemes of addresses, choices. */
export interface KindLimits {
  readonly min?: number;
  readonly max?: number;
  readonly schemes?: readonly string[];
  readonly choices?: readonly string[];
}

interface Kind<T> {
  readonly read: (text: string, limits: KindLimits) => Reading<T>;
  /** Continues a sentence that ends in "write". */
  readonly form: (limits: KindLimits) => string;
  readonly show: (value: T) => string;
}

const byteUnits = { GiB: 1024 ** 3, MiB: 1024 ** 2, KiB: 1024 } as const;
const durationUnits = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
const headerShape = /^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/i;
const urlPathShape = /^(?:\/[A-Za-z0-9._~-]{1,64}){1,8}$/;
const regionShape = /^[a-z][a-z0-9-]{0,15}$/;
const hostShape = /^[a-z0-9]([a-z0-9._-]{0,252}[a-z0-9])?$/i;
const domainShape = /^[\p{L}\p{N}]([\p{L}\p{N}.-]{0,252}[\p{L}\p{N}])?$/u;
const regionForm = 'up to 16 lower-case letters, digits and hyphens that start with a letter, for example us';

/** How the text of each kind is read, explained and shown. */
export const kinds: { readonly [K in KindName]: Kind<KindValues[K]> } = {
  text: {
    read: (text) => (text.includes('\0') ? { problem: 'holds a zero character' } : { value: text }),
    form: () => 'a path',
    show: String,
  },
  host: {
    read: (text) =>
      isIP(text) !== 0 || hostShape.test(text)
        ? { value: text }
        : { problem: `is ${quoted(text)}, which is neither an IP address nor a host name` },
    form: () => 'an IP address or a host name, without a port',
    show: String,
  },
  integer: {
    read: (text, limits) =>
      /^\d{1,15}$/.test(text) ? within(Number(text), text, limits) : { problem: `is ${quoted(text)}, which is not a whole number` },
    form: ({ min, max }) => `a whole number from ${min} to ${max}`,
    show: String,
  },
  bytes: {
    read: (text, limits) => readQuantity(text, limits, { shape: /^(\d{1,15}) ?(KiB|MiB|GiB)?$/, units: byteUnits, noun: 'a size' }),
    form: ({ min, max }) =>
      `a number of bytes from ${inUnits(min ?? 0, byteUnits)} to ${inUnits(max ?? 0, byteUnits)}, plain or with KiB, MiB or GiB`,
    show: (value) => inUnits(value, byteUnits),
  },
  duration: {
    read: (text, limits) =>
      readQuantity(text, limits, { shape: /^(\d{1,12})(ms|s|m|h|d)$/, units: durationUnits, noun: 'a duration with its unit' }),
    form: ({ min, max }) =>
      `a whole number with a unit (ms, s, m, h, d) from ${inUnits(min ?? 0, durationUnits)} to ${inUnits(max ?? 0, durationUnits)}, for example 10m`,
    show: (value) => inUnits(value, durationUnits),
  },
  region: {
    read: (text) => (regionShape.test(text) ? { value: text } : { problem: `is ${quoted(text)}, which is not the name of a region` }),
    form: () => regionForm,
    show: String,
  },
  regions: {
    read: (text) => readRegions(text),
    form: () => 'region=address pairs with commas between, for example us=https://us.example.com,eu=https://eu.example.com',
    show: (value) =>
      Object.entries(value)
        .map((pair) => pair.join('='))
        .join(','),
  },
  url: {
    read: (text, { schemes }) => readUrl(text, schemes ?? []),
    form: ({ schemes }) =>
      `an address that starts with ${(schemes ?? []).map((scheme) => `${scheme}://`).join(' or ')}, without user name, query or fragment`,
    show: String,
  },
  urlPath: {
    read: (text) => {
      const path = text.replace(/\/$/, '');
      return path === '' || (urlPathShape.test(path) && !/\/\.\.?(?:\/|$)/.test(path))
        ? { value: path }
        : { problem: `is ${quoted(text)}, which is not such a path` };
    },
    form: () => 'a path that begins with /, of letters, digits and -._~, for example /gatelog',
    show: String,
  },
  networks: {
    read: (text) => {
      const entries = listed(text).map((entry) => entry.toLowerCase());
      const wrong = entries.find((entry) => isIP(entry) === 0 && !isCidr(entry));
      return wrong === undefined
        ? { value: Object.freeze(entries) }
        : { problem: `has the entry ${quoted(wrong)}, which is neither an IP address nor a CIDR` };
    },
    form: () => 'IP addresses and CIDRs with commas between, for example 10.0.0.1,fd00::/8',
    show: (value) => value.join(','),
  },
  header: {
    read: (text) =>
      headerShape.test(text) ? { value: text.toLowerCase() } : { problem: `is ${quoted(text)}, which is not the name of a header` },
    form: () => 'the name of one request header, without a colon',
    show: String,
  },
  smtp: {
    read: (text) => readSmtpUrl(text),
    form: () => smtpUrlForm,
    show: ({ host, port }) => `${host}:${port}`,
  },
  clickhouse: {
    read: (text) => readClickHouseUrl(text),
    form: () => clickhouseUrlForm,
    show: ({ urls }) => urls.map((url) => new URL(url).host).join(','),
  },
  sender: {
    read: (text) => (readMailSender(text) === undefined ? { problem: `is ${quoted(text)}, which is not a mail address` } : { value: text }),
    form: () => 'a mail address, plain or as Name <address>',
    show: String,
  },
  targets: {
    read: (text) => readTargets(text),
    form: () => 'entries with commas between, each a host, host:port, [IPv6]:port or CIDR, for example localhost:9101,10.0.0.0/8',
    show: (value) => value.join(','),
  },
  origins: {
    read: (text) => readOrigins(text),
    form: () =>
      'origins with commas between, each a scheme, a host and a port where it is not the usual one, for example https://app.example.com, or *',
    show: (value) => value.join(','),
  },
  domains: {
    read: (text) => {
      const entries = listed(text).map((entry) => entry.toLowerCase());
      const wrong = entries.find((entry) => !domainShape.test(entry));
      return wrong === undefined
        ? { value: Object.freeze(entries) }
        : { problem: `has the entry ${quoted(wrong)}, which is not the domain of a mail address` };
    },
    form: () => 'domains of mail addresses with commas between, for example example.com,mail.example.org',
    show: (value) => value.join(','),
  },
  secret: {
    read: (text, limits) => readSecret(text, limits),
    form: ({ min, max }) => `${min} to ${max} visible ASCII characters without spaces`,
    show: () => 'set',
  },
  choice: {
    read: (text, { choices }) =>
      choices?.includes(text) === true ? { value: text } : { problem: `is ${quoted(text)}, which is not one of its choices` },
    form: ({ choices }) => (choices ?? []).join(' or '),
    show: String,
  },
  word: { read: readWord, form: () => 'up to 255 visible ASCII characters without spaces', show: String },
  scopes: {
    read: readScopes,
    form: () => 'scopes with spaces between, openid among them, for example openid profile email',
    show: (value) => value.join(' '),
  },
  admitted: {
    read: readAdmitted,
    form: () => 'groups and @domains of mail addresses with commas between, for example engineering,@example.com',
    show: (value) => value.join(','),
  },
  roles: {
    read: readRoles,
    form: () => 'group=organisation:role entries with commas between, for example engineering=default:rw,leads=default:admin',
    show: (value) => value.map(({ group, organization, permissions }) => `${group}=${organization}:${permissions}`).join(','),
  },
};

/**
 * Reads an http address and drops a trailing slash, so that paths can be appended. A problem never quotes the text: people paste
 * credentials into addresses.
 */
export function readUrl(text: string, schemes: readonly string[]): Reading<string> {
  if (!URL.canParse(text)) return { problem: 'is not an address' };
  const url = new URL(text);
  if (!schemes.includes(url.protocol.slice(0, -1))) return { problem: `starts with ${url.protocol}, which does not work here` };
  if (url.username !== '' || url.password !== '') return { problem: 'holds a user name or password' };
  if (url.search !== '' || url.hash !== '') return { problem: 'holds a query or a fragment' };
  return { value: url.href.replace(/\/+$/, '') };
}

function readRegions(text: string): Reading<Readonly<Record<string, string>>> {
  const regions: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const entry of listed(text)) {
    const [, name = '', address = ''] = /^([^=]*)=(.*)$/.exec(entry) ?? [];
    if (!regionShape.test(name)) return { problem: 'has an entry that does not start with the name of a region and =' };
    if (name in regions) return { problem: `names ${name} twice` };
    const reading = readUrl(address, ['https', 'http']);
    if ('problem' in reading) return { problem: `has an address for ${name} that ${reading.problem}` };
    regions[name] = reading.value;
  }
  return { value: Object.freeze(regions) };
}

function readTargets(text: string): Reading<readonly string[]> {
  const entries = listed(text).map((entry) => entry.toLowerCase());
  const wrong = entries.find((entry) => !isCidr(entry) && !isHostAndPort(entry));
  return wrong === undefined
    ? { value: Object.freeze(entries) }
    : { problem: `has the entry ${quoted(wrong)}, which is neither a host nor a CIDR` };
}

function readOrigins(text: string): Reading<readonly string[]> {
  const entries = listed(text).map((entry) => ({ entry, origin: originOf(entry.toLowerCase().replace(/\/$/, '')) }));
  const wrong = entries.find(({ origin }) => origin === undefined);
  if (wrong !== undefined) return { problem: `has the entry ${quoted(wrong.entry)}, which is not an origin` };
  return { value: Object.freeze(entries.flatMap(({ origin = [] }) => origin)) };
}

/** An origin as browsers write it, without the scheme's default port. `URL` knows default ports of web schemes only. */
function originOf(entry: string): string | undefined {
  if (entry === '*') return entry;
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s*]+$/.test(entry)) return undefined;
  if (!/^https?:/.test(entry)) return entry;
  return URL.canParse(entry) ? new URL(entry).origin : undefined;
}

function isCidr(entry: string): boolean {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128);
}

function isHostAndPort(entry: string): boolean {
  if (isIP(entry) !== 0) return true;
  const [, bracketed, host = '', port = '1'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(entry) ?? [];
  if (Number(port) < 1 || Number(port) > 65_535) return false;
  return bracketed === undefined ? hostShape.test(host) : isIP(bracketed) === 6;
}

function readSecret(text: string, { min = 1, max = 256 }: KindLimits): Reading<string> {
  if (!/^[\x21-\x7e]+$/.test(text)) return { problem: 'holds a space or a character outside visible ASCII' };
  if (text.length < min || text.length > max) return { problem: `has ${text.length} characters` };
  return { value: text };
}

interface Quantity {
  /** Captures the digits and the unit. */
  readonly shape: RegExp;
  readonly units: Readonly<Record<string, number>>;
  readonly noun: string;
}

function readQuantity(text: string, limits: KindLimits, { shape, units, noun }: Quantity): Reading<number> {
  const [, digits, unit] = shape.exec(text) ?? [];
  if (digits === undefined) return { problem: `is ${quoted(text)}, which is not ${noun}` };
  return within(Number(digits) * (unit === undefined ? 1 : (units[unit] ?? 1)), text, limits);
}

function within(value: number, text: string, { min = 0, max = Number.MAX_SAFE_INTEGER }: KindLimits): Reading<number> {
  if (value < min) return { problem: `is ${text}, which is too small` };
  if (value > max) return { problem: `is ${text}, which is too large` };
  return { value };
}

/** A number of bytes as people write it. */
export function inUnitsOfBytes(bytes: number): string {
  return inUnits(bytes, byteUnits);
}

/** The largest unit that shows the value without a fraction; `units` is ordered from large to small. */
function inUnits(value: number, units: Readonly<Record<string, number>>): string {
  const unit = Object.entries(units).find(([, size]) => value !== 0 && value % size === 0);
  return unit === undefined ? String(value) : `${value / unit[1]}${unit[0]}`;
}

function listed(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
