import { hash, randomInt } from 'node:crypto';

/** The forms that keys have: ours first, then those that an import from Helicone brings. */
const prefixes = ['sk-svc-', 'sk-helicone-', 'pk-helicone-'] as const;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 32 characters of 62: 190 bits. */
const randomLength = 32;
const minKey = 16;
const maxKey = 256;

/** A new key, `sk-svc-<region>-<random>`, with 190 bits of randomness. */
export function generateKey(region: string): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `sk-svc-${region}-${random}`;
}

/** SHA-256 of a key, hexadecimal: the only form in which a key is stored, cached or recorded. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** True for every text that claims to be one of our keys, well formed or not: such a text must never reach a provider. */
export function looksLikeOurKey(text: string): boolean {
  return prefixes.some((prefix) => text.startsWith(prefix));
}

/** A key of ours in a text. What a word only ends in, as `task-svc-1` does, is none. */
const ownKey = /(?<![A-Za-z0-9])(?:sk-svc|[sp]k-helicone)-/;

/**
 * True when something that claims to be one of our keys stands anywhere in a text, plain or percent-encoded. Almost no text does, so that this
 * is two or three searches for a word.
 */
export function holdsOurKey(text: string): boolean {
  return holdsPlainKey(text) || (text.includes('%') && holdsPlainKey(percentDecoded(text)));
}

function holdsPlainKey(text: string): boolean {
  return (text.includes('sk-svc-') || text.includes('k-helicone-')) && ownKey.test(text);
}

/**
 * Good for a search of ASCII, as keys are: characters beyond it come out as others beyond it, and whatever is not well formed stays. Byte by byte: a path of
 * 600 KB of escapes takes a replacement by pattern 80 ms of the event loop, before anybody has looked at its key.
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

/** Its value; not a number for whatever is no hexadecimal digit. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

/** The region that a key names; undefined for keys of another form and for texts that are no key. */
export function regionOf(key: string): string | undefined {
  return /^sk-svc-([a-z][a-z0-9-]{0,15})-[A-Za-z0-9_.]+$/.exec(key)?.[1];
}

/**
 * Says why a key that an operator chose cannot be stored, undefined when it can. The sentence does not hold the key.
 * @param region this deployment's.
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

/**
 * The first characters of a key, enough for people to tell keys apart: its form, its region, and at most a quarter of its random part.
 * @param region this deployment's.
 */
export function displayPrefix(key: string, region: string): string {
  const form = [`sk-svc-${region}-`, ...prefixes].find((prefix) => key.startsWith(prefix)) ?? '';
  return key.slice(0, form.length + Math.min(4, Math.floor((key.length - form.length) / 4)));
}
