/** Header lines as Node gives them: name, value, name, value, … in wire order and case. */
export type RawHeaders = readonly string[];

/** Hop-by-hop fields (RFC 9110 §7.6.1) and those that the next hop sets itself. */
const notForwarded = new Set([
  'connection',
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
]);

/** Lines of a provider's reply that speak for its own host: another way to reach it, or what we say ourselves. */
const ownOnReply = new Set(['alt-svc', 'svc-id', 'svc-warning', 'svc-recorded', 'helicone-id']);

/** What a record keeps of the headers. An allow-list: a header that nobody thought of is not stored, so no credential can be. */
const recordedRequestHeaders = new Set([
  'content-type',
  'content-encoding',
  'content-length',
  'user-agent',
  'referer',
  'accept',
  'openai-beta',
]);
const recordedResponseHeaders = new Set([
  'content-type',
  'content-encoding',
  'content-length',
  'retry-after',
  'x-request-id',
  'openai-processing-ms',
  'openai-version',
]);

/** Query parameters whose values are secrets at one provider or another, in any spelling: `key`, `api_key`, `accessToken`, `X-Amz-Signature`. */
const secretParameter =
  /(?:key|keyid|sig|signature|token|secret|password|passwd|pwd|credentials?|jwt)$|(?:^|[-_.])(?:code|auth|authorization|session)$/i;
/** What reads like a key is one, whatever the parameter is called. */
const secretValue = /^(?:sk|pk|rk)-|^AIza|^eyJ|^Bearer\b/i;

/** Calls back with each header line: wire name, lower-case name, value. */
export function forEachHeader(raw: RawHeaders, visit: (name: string, lower: string, value: string) => void): void {
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? '';
    visit(name, name.toLowerCase(), raw[index + 1] ?? '');
  }
}

/** Names that a `Connection` header declares as hop-by-hop, lower case. */
function connectionNames(raw: RawHeaders): ReadonlySet<string> | undefined {
  let names: Set<string> | undefined;
  forEachHeader(raw, (_name, lower, value) => {
    if (lower !== 'connection' || value === 'keep-alive' || value === 'close') return;
    names ??= new Set();
    for (const part of value.split(',')) names.add(part.trim().toLowerCase());
  });
  return names;
}

/** The lines that pass to the other side, in their order and case. `keep` decides about what is not hop-by-hop. */
export function passedHeaders(raw: RawHeaders, keep: (lower: string, value: string) => boolean): string[] {
  const declared = connectionNames(raw);
  const passed: string[] = [];
  forEachHeader(raw, (name, lower, value) => {
    if (notForwarded.has(lower) || declared?.has(lower) === true || !keep(lower, value)) return;
    passed.push(name, lower === 'accept-encoding' ? withoutZstd(value) : value);
  });
  return passed;
}

/** The lines of a provider's reply that pass to the client. */
export function passedReplyHeaders(raw: RawHeaders): string[] {
  return passedHeaders(raw, (lower) => !ownOnReply.has(lower));
}

/** TRICKY: Node 20 cannot decode zstd, so a reply in it could not be read for its tokens. */
function withoutZstd(acceptEncoding: string): string {
  if (!/zstd/i.test(acceptEncoding)) return acceptEncoding;
  const kept = acceptEncoding.split(',').filter((coding) => !/^\s*zstd\s*(?:;|$)/i.test(coding));
  return kept.length === 0 ? 'identity' : kept.join(',').trim();
}

/** The recorded part of request headers, lower-case names, the last line of a name wins. */
export function recordedRequest(raw: RawHeaders): Record<string, string> {
  return recorded(raw, recordedRequestHeaders);
}

/** The recorded part of response headers. */
export function recordedResponse(raw: RawHeaders): Record<string, string> {
  return recorded(raw, recordedResponseHeaders);
}

function recorded(raw: RawHeaders, allowed: ReadonlySet<string>): Record<string, string> {
  const kept: Record<string, string> = {};
  forEachHeader(raw, (_name, lower, value) => {
    if (allowed.has(lower)) kept[lower] = lower === 'referer' ? withoutSecrets(headerText(value)) : headerText(value);
  });
  return kept;
}

/** A path or address with the values of secret query parameters and any user information cut out. */
export function withoutSecrets(address: string): string {
  if (!address.includes('?') && !address.includes('@')) return address;
  const safe = address.replace(/^([a-z]+:\/\/)[^/?#@]*@/i, '$1');
  const queryAt = safe.indexOf('?');
  if (queryAt === -1) return safe;
  const parts = safe.slice(queryAt + 1).split('&');
  const cut = parts.map((part) => {
    const [name = ''] = part.split('=', 1);
    return secretParameter.test(decoded(name)) || secretValue.test(decoded(part.slice(name.length + 1))) ? `${name}=…` : part;
  });
  return `${safe.slice(0, queryAt)}?${cut.join('&')}`;
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
