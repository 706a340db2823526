import { jsonExcess } from './json/bounds.ts';

/** Text that every room can store: lone surrogates become U+FFFD, as UTF-8 has no place for them. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

const maxBytesOfUnit = 3;

/** Whether a text has more bytes in UTF-8. Only one that may is measured. */
export function exceedsBytes(text: string, maxBytes: number): boolean {
  return text.length * maxBytesOfUnit > maxBytes && Buffer.byteLength(text) > maxBytes;
}

/**
 * Parses JSON of unknown origin. @returns undefined when the text is not JSON (JSON itself has no undefined), or is more than `json-bounds.ts` allows.
 */
export function parseJson(text: string): unknown {
  // An absent text is a common one, and to throw for it costs more than all else about a row.
  if (text === '' || jsonExcess(text) !== undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Parses JSON that this program wrote: it is as long as it is. @returns undefined when the text is not JSON. */
export function parseOwnJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Index of the quotation mark that ends the string of a JSON text whose content begins at `start`; −1 without one. */
export function endOfJsonString(json: string, start: number): number {
  let end = json.indexOf('"', start);
  while (end !== -1 && isEscaped(json, end, start)) end = json.indexOf('"', end + 1);
  return end;
}

const backslash = 0x5c;

function isEscaped(json: string, index: number, start: number): boolean {
  let first = index;
  while (first > start && json.charCodeAt(first - 1) === backslash) first -= 1;
  return (index - first) % 2 === 1;
}

/** A JSON object, as opposed to an array, a scalar or null. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for what JSON writes in braces. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const maxInHeader = 60;

/** A text of a caller as a header line repeats it: in quotes, visible ASCII only, and not all of a long one. */
export function quotedInHeader(text: string): string {
  return `"${text.slice(0, maxInHeader).replaceAll(/[^\u0020-\u007e]|"/g, '?')}"`;
}

const maxShown = 100;

/** A text of a caller as a sentence repeats it: in quotes, and not all of a long one. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > maxShown ? `${wellFormed(text.slice(0, maxShown))}…` : text);
}
