import { hash, randomInt } from 'node:crypto';

/** Prefixes of keys: ours, then those of imported Helicone keys. */
const prefixes = ['sk-svc-', 'sk-helicone-', 'pk-helicone-'] as const;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 32 of 62 characters: 190 bits. */
const randomLength = 32;
const minKey = 16;
const maxKey = 256;

export function generateKey(region: string): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `sk-svc-${region}-${random}`;
}

/** SHA-256 of a key, hexadecimal. Keys are stored, cached and recorded in this form only. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** True for every text with the prefix of our keys, well formed or not: such a text must never reach a provider. */
export function looksLikeOurKey(text: string): boolean {
  return prefixes.some((prefix) => text.startsWith(prefix));
}

/**
 * The key in `Bearer <key>`; undefined for any other text. Behind an encoded blank, a key of ours: OpenTelemetry's variables of headers are
 * URL-encoded, and some exporters send their values as they stand, `Bearer%20<key>`.
 */
export function bearerKey(text: string): string | undefined {
  const [, blank = '', key] = /^\s*Bearer( +|%20|\+)(\S+)\s*$/i.exec(text) ?? [];
  return key === undefined || blank.startsWith(' ') || looksLikeOurKey(key) ? key : undefined;
}

/** Matches a key of ours inside a text, but not a word that ends in its prefix, as `task-svc-1` does. */
const issuedKey = /(?<![A-Za-z0-9])(?:sk-svc|[sp]k-helicone)-/;

/**
 * Whether a text contains one of our keys, plain or percent-encoded. The test runs on every credential, so the common case is two or three
 * substring searches.
 */
export function holdsOurKey(text: string): boolean {
  return holdsPlainKey(text) || (text.includes('%') && holdsPlainKey(percentDecoded(text)));
}

function holdsPlainKey(text: string): boolean {
  return (text.includes('sk-svc-') || text.includes('k-helicone-')) && issuedKey.test(text);
}

/**
 * Decodes ASCII only, which is enough to find keys; other escapes become other characters, malformed ones stay. It goes byte by byte,
 * because a regular expression blocks the event loop for 80 ms on a path with 600 KB of escapes, before any key is checked.
 */
function percentDecoded(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  let length = bytes.indexOf(percent);
  for (let at = length; at < bytes.length; at += 1) {
    const code = bytes[at] === percent ? hexDigit(bytes[at + 1]) * 16 + hexDigit(bytes[at + 2]) : Number.NaN;
    const isCoded = code >= 0x20;
    bytes[length] = isCoded ? code : (bytes[at] ?? 0);
    length += 1;
    if (isCoded) at += 2;
  }
  return bytes.toString('latin1', 0, length);
}

const percent = 0x25;

/** NaN for a byte that is no hexadecimal digit. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

/** The region in a key; undefined for texts without one. */
export function regionOf(key: string): string | undefined {
  return /^sk-svc-([a-z][a-z0-9-]{0,15})-[A-Za-z0-9_.]+$/.exec(key)?.[1];
}

/**
 * Explains why an operator's own key cannot be stored; undefined when it can. The sentence never contains the key. @param region this
 * deployment's.
 */
export function validateCustomKey(key: string, region: string): string | undefined {
  if (!looksLikeOurKey(key)) {
    return `A key starts with sk-svc-${region}- or, when it comes from Helicone, with sk-helicone- or pk-helicone-.`;
  }
  if (key.startsWith('sk-svc-') && !key.startsWith(`sk-svc-${region}-`)) {
    return `A key of this deployment starts with sk-svc-${region}-; this one names another region.`;
  }
  if (!/^[A-Za-z0-9_.-]+$/.test(key)) return 'A key holds letters, digits, hyphens, underscores and dots only.';
  if (key.length < minKey || key.length > maxKey) return `A key has ${minKey} to ${maxKey} characters.`;
  return undefined;
}

/** The first characters of a key for lists: prefix, region and at most a quarter of the random part. @param region this deployment's. */
export function displayPrefix(key: string, region: string): string {
  const form = [`sk-svc-${region}-`, ...prefixes].find((prefix) => key.startsWith(prefix)) ?? '';
  return key.slice(0, form.length + Math.min(4, Math.floor((key.length - form.length) / 4)));
}
