import { GatelogError } from '../../model/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../model/text.ts';

/** Statuses from one to another, both included. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

/** Another place for a call, as the caller wrote it. What is absent is as in the first attempt. */
export interface Fallback {
  /** Where it stands, for the sentence that refuses it. */
  readonly place: string;
  readonly provider?: string;
  readonly targetUrl?: string;
  readonly model?: string;
  readonly keyName?: string;
  /** Of which failures of the attempt before it takes over. */
  readonly on: readonly StatusRange[];
  /** It takes over from a 400 too that says that the prompt is too long for the model. */
  readonly onTooLong?: true;
  /** It takes over from the place right before it alone; otherwise from any before it. */
  readonly followsOne?: true;
}

/** Fallbacks of one call. */
export const maxFallbacks = 10;

/** Too many calls, and the provider's own failures; one that cannot be reached counts as 502, one that is too slow as 504. */
export const defaultFailures: readonly StatusRange[] = [
  { from: 429, to: 429 },
  { from: 500, to: 599 },
];

/** What another model may answer, or another provider with another key; as Helicone's gateway goes on with its lists. */
const failuresOfModels: readonly StatusRange[] = [{ from: 401, to: 401 }, { from: 408, to: 408 }, ...defaultFailures];

/** Members of a fallback that are a text, and the most characters of each. */
const texts = { provider: ['provider', 64], target_url: ['targetUrl', 2048], model: ['model', 256], key_name: ['keyName', 256] } as const;
const knownFields = [...Object.keys(texts), 'on'];

/** The status of a refusal that may be about the length of the prompt. */
export const tooLongStatus = 400;

/** True when a fallback takes over from an attempt that failed with this status. @param isTooLong its reply says that the prompt is too long. */
export function matchesStatus({ on, onTooLong }: Fallback, status: number, isTooLong: boolean): boolean {
  return (isTooLong && onTooLong === true) || on.some(({ from, to }) => status >= from && status <= to);
}

/** The further models of a body's list, each with its place in it. */
export function fallbacksOfModels(models: readonly { readonly model: string; readonly index: number }[]): readonly Fallback[] {
  return models.map(({ model, index }) => ({ place: `model[${index}]`, model, on: failuresOfModels, onTooLong: true }));
}

/**
 * The entries of `Svc-Fallbacks`, in whichever form they are.
 * @param name the header as the caller wrote it.
 * @throws GatelogError `invalid_directive`, with the place of what is wrong.
 */
export function parseEntries(text: string, name: string): readonly unknown[] {
  const list = parseJson(text);
  if (!Array.isArray(list)) throw wrong(name, 'must be a JSON array such as [{"provider": "anthropic", "model": "claude-sonnet-4-5"}]');
  if (list.length > maxFallbacks) throw wrong(name, `holds at most ${maxFallbacks} fallbacks; got ${list.length}`);
  return list;
}

/** The fallbacks of a list in our own form. @throws as {@link parseEntries} does. */
export function readFallbacks(entries: readonly unknown[], name: string): readonly Fallback[] {
  return entries.map((entry, index) => readFallback(entry, `${name}[${index}]`));
}

/** An entry all of whose fields are known. */
export function readEntry(entry: unknown, place: string, known: readonly string[]): JsonObject {
  if (!isJsonObject(entry)) throw wrong(place, 'must be an object');
  const unknownField = Object.keys(entry).find((field) => !known.includes(field));
  if (unknownField === undefined) return entry;
  throw wrong(place, `has the field "${unknownField.slice(0, 60)}", which is not known; known are ${known.join(', ')}`);
}

function readFallback(given: unknown, place: string): Fallback {
  const entry = readEntry(given, place, knownFields);
  const said = Object.entries(texts).flatMap(([field, [property, most]]) => {
    const value = entry[field];
    return value === undefined ? [] : [[property, readText(value, `${place}.${field}`, most)]];
  });
  const fallback: Fallback = {
    ...(Object.fromEntries(said) as Partial<Fallback>),
    place,
    on: entry['on'] === undefined ? defaultFailures : readOn(entry['on'], `${place}.on`),
  };
  if (said.length === 0) throw wrong(place, 'leads nowhere else; give it a provider, target_url, model or key_name');
  if (fallback.targetUrl !== undefined && (fallback.provider !== undefined || fallback.keyName !== undefined)) {
    throw wrong(place, 'has a target_url, to which no stored key goes; leave out provider and key_name, or target_url');
  }
  return fallback;
}

/** A text of so many characters, trimmed. @throws GatelogError `invalid_directive`, with the place of what is none. */
export function readText(value: unknown, place: string, maxCharacters: number): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > maxCharacters) {
    throw wrong(place, `must be a text of 1 to ${maxCharacters} characters`);
  }
  return value.trim();
}

/** Statuses of failures. @throws GatelogError `invalid_directive`, with the place of what is none. */
export function readOn(value: unknown, place: string): readonly StatusRange[] {
  if (!Array.isArray(value) || value.length === 0) throw wrong(place, 'must be an array such as [429, {"from": 500, "to": 599}]');
  const entries: readonly unknown[] = value;
  return entries.map((entry, index) => readRange(entry, `${place}[${index}]`));
}

function readRange(entry: unknown, place: string): StatusRange {
  const range = typeof entry === 'number' ? { from: entry, to: entry } : entry;
  if (!isJsonObject(range) || Object.keys(range).some((field) => field !== 'from' && field !== 'to')) throw wrong(place, rangeForm);
  const { from, to } = range;
  if (!isFailure(from) || !isFailure(to) || from > to) throw wrong(place, rangeForm);
  return { from, to };
}

const rangeForm = 'must be a status from 400 to 599, or {"from": 500, "to": 599}';

function isFailure(status: unknown): status is number {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599;
}

/** What is said of a part of a list. @param problem follows the place in a sentence. */
export function wrong(place: string, problem: string): GatelogError {
  return new GatelogError('invalid_directive', `${place} ${problem}.`, { details: { path: place } });
}
