import { wireProfile } from '../../providers/wire-profile.ts';
import { filterHeaders, type HeaderList } from '../../platform/http/header-list.ts';
import { exceedsBytes } from '../../model/text.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';

/** Hop-by-hop fields (RFC 9110 §7.6.1) and fields that we set ourselves. `connection` is one too, and may name more. */
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

/** Fields with which proxies in front of the gateway tell who called it, beside those of {@link isOfProxy}'s prefix. */
const proxyNames: ReadonlySet<string> = new Set([
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'fastly-client-ip',
  'fly-client-ip',
  'forwarded',
  'true-client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-original-forwarded-for',
  'x-real-ip',
]);

/** Whether a field describes the caller's connection to a proxy in front. A provider has no use for it. @param name lower case. */
export function isOfProxy(name: string): boolean {
  return name.startsWith('x-forwarded-') || proxyNames.has(name);
}

/** Query parameters with secrets, in any spelling: `key`, `api_key`, `accessToken`, `X-Amz-Signature`. */
const secretParameter =
  /(?:key|keyid|sig|signature|token|secret|password|passwd|pwd|credentials?|jwt)$|(?:^|[-_.])(?:code|auth|authorization|session)$/i;
/** A value that looks like a key is a secret under any name. */
const secretValue = /^(?:sk|pk|rk)-|^AIza|^eyJ|^Bearer\b/i;

/** Adds the names that a `Connection` header declares as hop-by-hop, lower case. Most declare none. */
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

/** TRICKY: Node 20 cannot decode zstd, so the tokens of such a response could not be read. */
export function withoutZstd(acceptEncoding: string): string {
  if (!/zstd/i.test(acceptEncoding)) return acceptEncoding;
  const kept = acceptEncoding.split(',').filter((coding) => !/^\s*zstd\s*(?:;|$)/i.test(coding));
  return kept.length === 0 ? 'identity' : kept.join(',').trim();
}

/** Recorded in place of a coding too long to record. */
const omittedCoding = 'unsaid';

/** @returns false for a header too long to record. */
export function keepHeader(recorded: Record<string, string>, name: string, value: string): boolean {
  const isKept = !exceedsBytes(value, textLimits.headerBytes);
  if (isKept) recorded[name] = value;
  // Without any coding the body would be read as plain.
  else if (name === 'content-encoding') recorded[name] = omittedCoding;
  return isKept;
}

/** Shortens an address that is too long to record: without its query, or without its path too. @param origin the start of the address. */
export function storableAddress(address: string, origin: string, maxBytes: number): string {
  if (!exceedsBytes(address, maxBytes)) return address;
  const queryAt = address.indexOf('?');
  const bare = queryAt === -1 ? address : address.slice(0, queryAt);
  return exceedsBytes(bare, maxBytes) ? `${origin}/` : bare;
}

/** For an address that the secrets were not meant for. */
export function withoutSecretParameters(path: string): string {
  const queryAt = path.indexOf('?');
  if (queryAt === -1) return path;
  const kept = path
    .slice(queryAt + 1)
    .split('&')
    .filter((part) => !isSecret(part));
  return kept.length === 0 ? path.slice(0, queryAt) : `${path.slice(0, queryAt)}?${kept.join('&')}`;
}

/** Redacts the values of secret query parameters, and removes user information. */
export function withoutSecrets(address: string): string {
  if (!address.includes('?') && !address.includes('@')) return address;
  const safe = address.replace(/^([a-z]+:\/\/)[^/?#@]*@/i, '$1');
  const queryAt = safe.indexOf('?');
  if (queryAt === -1) return safe;
  const parts = safe.slice(queryAt + 1).split('&');
  const cut = parts.map((part) => (isSecret(part) ? `${nameOfParameter(part)}=…` : part));
  return `${safe.slice(0, queryAt)}?${cut.join('&')}`;
}

/** Values of the secret query parameters of a path, decoded. */
export function secretsOfQuery(path: string): readonly string[] {
  const queryAt = path.indexOf('?');
  if (queryAt === -1) return [];
  const secrets = path
    .slice(queryAt + 1)
    .split('&')
    .filter(isSecret);
  return secrets.map((parameter) => decoded(parameter.slice(nameOfParameter(parameter).length + 1)));
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

/** Node decodes header values as Latin-1; they are UTF-8 wherever the bytes are valid UTF-8. */
export function headerText(value: string): string {
  // Anything above ASCII, written so that lint does not see control characters.
  if (!/[^\u0000-\u007f]/.test(value)) return value;
  try {
    return strictUtf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/** Adds our headers under the names that clients of Helicone's API read. */
export function withAliases(list: HeaderList): string[] {
  const aliases = list.flatMap((name, index) =>
    index % 2 === 0 && name.startsWith('svc-') ? [`helicone-${name.slice('svc-'.length)}`, list[index + 1] ?? ''] : [],
  );
  return [...list, ...aliases];
}

/** Headers about media types, codings and API versions. Any other may be a credential at some address. */
const harmlessNames: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-encoding',
  'content-language',
  'content-type',
  'traceparent',
  'tracestate',
  'user-agent',
  ...wireProfile.versionHeaders,
]);

/** The caller's headers that hold no credential at any address. */
export function harmless(list: HeaderList): HeaderList {
  return filterHeaders(list, (name) => harmlessNames.has(name) || name.startsWith('x-stainless-'));
}
