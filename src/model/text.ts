import { jsonExcess } from './json/bounds.ts';
import { type Kept, MarkedNumbers } from './json/exact-numbers.ts';

/** Replaces lone surrogates by U+FFFD, as UTF-8 cannot encode them. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

const maxBytesOfUnit = 3;

/**
 * The beginning of a text, as a text of its own. TRICKY: the engine keeps the whole of a text alive for a part of it, so that 256 characters
 * that are remembered may hold 15 MiB.
 */
export function copiedStart(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : Buffer.from(text.slice(0, maxCharacters)).toString();
}

/** Compares the size in UTF-8; measures only texts that may exceed the limit. */
export function exceedsBytes(text: string, maxBytes: number): boolean {
  return text.length * maxBytesOfUnit > maxBytes && Buffer.byteLength(text) > maxBytes;
}

/** Where the last whole character ends among the first bytes of a text in UTF-8. */
export function endOfCharacters(bytes: Uint8Array, maxBytes: number): number {
  let end = Math.min(bytes.length, maxBytes);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

/**
 * Parses JSON of unknown origin. @returns undefined when the text is not JSON (JSON itself has no undefined) or exceeds the limits of
 * `json/bounds.ts`.
 */
export function parseJson(text: string): unknown {
  // Empty texts are common, and an exception costs more than all other work on a row.
  if (text === '' || jsonExcess(text) !== undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * As {@link parseJson}, with numbers that JavaScript would change as marked texts, for `writeExactly`. @returns undefined also for more of
 * them than `numbers` marks.
 */
export function parseExactly(text: string, kept: Kept = 'values', numbers = new MarkedNumbers()): unknown {
  const marked = numbers.mark(text, kept);
  return marked === undefined ? undefined : parseJson(marked);
}

/** Parses JSON that this program wrote, without limits. @returns undefined when the text is not JSON. */
export function parseRecordedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const maxInHeader = 60;

/** Quotes a caller's text for a header: visible ASCII only, truncated. */
export function quotedInHeader(text: string): string {
  return `"${text.slice(0, maxInHeader).replaceAll(/[^\u0020-\u007e]|"/g, '?')}"`;
}

const maxShown = 100;

/** Quotes a caller's text for a message, truncated. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > maxShown ? `${wellFormed(text.slice(0, maxShown))}…` : text);
}
