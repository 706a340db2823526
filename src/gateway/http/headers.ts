import { filterHeaders, type HeaderList } from '../../platform/http/header-list.ts';
import { exceedsBytes } from '../../model/text.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';

/** Hop-by-hop fields (RFC 9110 §7.6.1) and those that the next hop sets itself; `connection` is one too and may name more of them. */
export const hopByHopNames = [
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'expect',
] as const;

/** Query parameters whose values are secrets at one provider or another, in any spelling: `key`, `api_key`, `accessToken`, `X-Amz-Signature`. */
const secretParameter =
  /(?:key|keyid|sig|signature|token|secret|password|passwd|pwd|credentials?|jwt)$|(?:^|[-_.])(?:code|auth|authorization|session)$/i;
/** What reads like a key is one, whatever the parameter is called. */
const secretValue = /^(?:sk|pk|rk)-|^AIza|^eyJ|^Bearer\b/i;

/** Adds what a `Connection` header declares as hop-by-hop, lower case. Most of them declare nothing. */
export function connectionTokens(declared: Set<string> | undefined, connection: string): Set<string> | undefined {
  if (connection === 'keep-alive' || connection === 'close') return declared;
  const names = declared ?? new Set<string>();
  for (const part of connection.split(',')) names.add(part.trim().toLowerCase());
  return names;
}

/** @param declared from {@link connectionTokens}. */
export function withoutConnectionHeaders(list: string[], declared: ReadonlySet<string> | undefined): string[] {
  return declared === undefined ? list : filterHeaders(list, (name) => !declared.has(name));
}

/** Asks for an uncompressed body instead of any coding that was offered. */
export function withoutCompression(list: HeaderList): HeaderList {
  return list.map((part, index) => (index % 2 === 1 && list[index - 1]?.toLowerCase() === 'accept-encoding' ? 'identity' : part));
}

/** TRICKY: Node 20 cannot decode zstd, so a reply in it could not be read for its tokens. */
export function withoutZstd(acceptEncoding: string): string {
  if (!/zstd/i.test(acceptEncoding)) return acceptEncoding;
  const kept = acceptEncoding.split(',').filter((coding) => !/^\s*zstd\s*(?:;|$)/i.test(coding));
  return kept.length === 0 ? 'identity' : kept.join(',').trim();
}

/** A coding that nobody knows: what it was stays unsaid, and so does that the body is in none. */
const unsaidCoding = 'unsaid';

/** Keeps a header for the record, or not where it is too long for that. @returns whether it was kept. */
export function keepHeader(recorded: Record<string, string>, name: string, value: string): boolean {
  const isKept = !exceedsBytes(value, textLimits.headerBytes);
  if (isKept) recorded[name] = value;
  // Without a word of it a body would be looked at as if it were plain.
  else if (name === 'content-encoding') recorded[name] = unsaidCoding;
  return isKept;
}

/** An address as a record has it: one that is too long without its query, and where that does not help without its path. @param origin at its start. */
export function storableAddress(address: string, origin: string, maxBytes: number): string {
  if (!exceedsBytes(address, maxBytes)) return address;
  const queryAt = address.indexOf('?');
  const bare = queryAt === -1 ? address : address.slice(0, queryAt);
  return exceedsBytes(bare, maxBytes) ? `${origin}/` : bare;
}

/** A path without its secret query parameters, for an address that they were not meant for. */
export function withoutSecretParameters(path: string): string {
  const queryAt = path.indexOf('?');
  if (queryAt === -1) return path;
  const kept = path
    .slice(queryAt + 1)
    .split('&')
    .filter((part) => !isSecret(part));
  return kept.length === 0 ? path.slice(0, queryAt) : `${path.slice(0, queryAt)}?${kept.join('&')}`;
}

/** A path or address with the values of secret query parameters and any user information cut out. */
export function withoutSecrets(address: string): string {
  if (!address.includes('?') && !address.includes('@')) return address;
  const safe = address.replace(/^([a-z]+:\/\/)[^/?#@]*@/i, '$1');
  const queryAt = safe.indexOf('?');
  if (queryAt === -1) return safe;
  const parts = safe.slice(queryAt + 1).split('&');
  const cut = parts.map((part) => (isSecret(part) ? `${nameOfParameter(part)}=…` : part));
  return `${safe.slice(0, queryAt)}?${cut.join('&')}`;
}

function isSecret(parameter: string): boolean {
  const name = nameOfParameter(parameter);
  return secretParameter.test(decoded(name)) || secretValue.test(decoded(parameter.slice(name.length + 1)));
}

function nameOfParameter(parameter: string): string {
  return parameter.split('=', 1)[0] ?? '';
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of a header value: Node reads the bytes as Latin-1; they are UTF-8 when they can be. */
export function headerText(value: string): string {
  // oxlint reads the range as control characters otherwise; everything above ASCII is what matters here.
  if (!/[^\u0000-\u007f]/.test(value)) return value;
  try {
    return strictUtf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/** The lines, and once more those that clients of Helicone's API know by another name. */
export function withAliases(lines: readonly string[]): string[] {
  const aliases = lines.flatMap((name, index) =>
    index % 2 === 0 && name.startsWith('svc-') ? [`helicone-${name.slice('svc-'.length)}`, lines[index + 1] ?? ''] : [],
  );
  return [...lines, ...aliases];
}

/** Headers that say how a body is to be read and answered, or which version of an API. Any other may be a credential at some address. */
const harmlessNames: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'anthropic-beta',
  'anthropic-version',
  'content-encoding',
  'content-language',
  'content-type',
  'openai-beta',
  'traceparent',
  'tracestate',
  'user-agent',
]);

/** The caller's headers that hold no credential, wherever they go. */
export function harmless(list: HeaderList): HeaderList {
  return filterHeaders(list, (name) => harmlessNames.has(name) || name.startsWith('x-stainless-'));
}
