import { GatelogError } from '../../model/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../model/text.ts';

/** Both bounds are included. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

/** Another target for a call, as the caller wrote it. Absent members are as in the first attempt. */
export interface Fallback {
  /** JSON path of the entry, for error messages. */
  readonly path: string;
  readonly provider?: string;
  readonly targetUrl?: string;
  readonly model?: string;
  readonly keyName?: string;
  /** Statuses of a failed attempt after which this target is tried. */
  readonly on: readonly StatusRange[];
  /** It is also tried after a 400 that reports a prompt too long for the model. */
  readonly onTooLong?: true;
  /** It is tried only after the target right before it; otherwise after any earlier one. */
  readonly followsOne?: true;
}

export const maxFallbacks = 10;

/** Too many requests, and failures of the provider. An unreachable provider counts as 502, a time-out as 504. */
export const defaultFailures: readonly StatusRange[] = [
  { from: 429, to: 429 },
  { from: 500, to: 599 },
];

/** Failures that another model, or another provider with its own key, may not have; the same as in Helicone's gateway. */
const failuresOfModels: readonly StatusRange[] = [{ from: 401, to: 401 }, { from: 408, to: 408 }, ...defaultFailures];

/** JSON member → property, and its maximum length in characters. */
const texts = { provider: ['provider', 64], target_url: ['targetUrl', 2048], model: ['model', 256], key_name: ['keyName', 256] } as const;
const knownFields = [...Object.keys(texts), 'on'];

/** The status with which providers refuse a prompt that is too long. */
export const tooLongStatus = 400;

/** Whether a fallback is tried after this status. @param isTooLong the response reports a prompt that is too long. */
export function matchesStatus({ on, onTooLong }: Fallback, status: number, isTooLong: boolean): boolean {
  return (isTooLong && onTooLong === true) || on.some(({ from, to }) => status >= from && status <= to);
}

/** Fallbacks to the further models of a list in the body. */
export function fallbacksOfModels(models: readonly { readonly model: string; readonly index: number }[]): readonly Fallback[] {
  return models.map(({ model, index }) => ({ path: `model[${index}]`, model, on: failuresOfModels, onTooLong: true }));
}

/**
 * The entries of `Svc-Fallbacks`, in our own form or Helicone's.
 * @param name the header as the caller wrote it.
 * @throws GatelogError `invalid_directive`, with the path of the error.
 */
export function parseEntries(text: string, name: string): readonly unknown[] {
  const list = parseJson(text);
  if (!Array.isArray(list)) throw wrong(name, 'must be a JSON array such as [{"provider": "anthropic", "model": "claude-sonnet-4-5"}]');
  if (list.length > maxFallbacks) throw wrong(name, `holds at most ${maxFallbacks} fallbacks; got ${list.length}`);
  return list;
}

/** Reads a list in our own form. @throws as {@link parseEntries} does. */
export function readFallbacks(entries: readonly unknown[], name: string): readonly Fallback[] {
  return entries.map((entry, index) => readFallback(entry, `${name}[${index}]`));
}

/** @throws GatelogError `invalid_directive` for an entry with unknown fields. */
export function readEntry(entry: unknown, path: string, known: readonly string[]): JsonObject {
  if (!isJsonObject(entry)) throw wrong(path, 'must be an object');
  const unknownField = Object.keys(entry).find((field) => !known.includes(field));
  if (unknownField === undefined) return entry;
  throw wrong(path, `has the field "${unknownField.slice(0, 60)}", which is not known; known are ${known.join(', ')}`);
}

function readFallback(given: unknown, path: string): Fallback {
  const entry = readEntry(given, path, knownFields);
  const fields = Object.entries(texts).flatMap(([field, [property, maxCharacters]]) => {
    const value = entry[field];
    return value === undefined ? [] : [[property, readText(value, `${path}.${field}`, maxCharacters)]];
  });
  const fallback: Fallback = {
    ...(Object.fromEntries(fields) as Partial<Fallback>),
    path,
    on: entry['on'] === undefined ? defaultFailures : readOn(entry['on'], `${path}.on`),
  };
  if (fields.length === 0) throw wrong(path, 'leads nowhere else; give it a provider, target_url, model or key_name');
  if (fallback.targetUrl !== undefined && (fallback.provider !== undefined || fallback.keyName !== undefined)) {
    throw wrong(path, 'has a target_url, to which no stored key goes; leave out provider and key_name, or target_url');
  }
  return fallback;
}

export function readText(value: unknown, path: string, maxCharacters: number): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > maxCharacters) {
    throw wrong(path, `must be a text of 1 to ${maxCharacters} characters`);
  }
  return value.trim();
}

export function readOn(value: unknown, path: string): readonly StatusRange[] {
  if (!Array.isArray(value) || value.length === 0) throw wrong(path, 'must be an array such as [429, {"from": 500, "to": 599}]');
  const entries: readonly unknown[] = value;
  return entries.map((entry, index) => readRange(entry, `${path}[${index}]`));
}

function readRange(entry: unknown, path: string): StatusRange {
  const range = typeof entry === 'number' ? { from: entry, to: entry } : entry;
  if (!isJsonObject(range) || Object.keys(range).some((field) => field !== 'from' && field !== 'to')) throw wrong(path, rangeForm);
  const { from, to } = range;
  if (!isFailure(from) || !isFailure(to) || from > to) throw wrong(path, rangeForm);
  return { from, to };
}

const rangeForm = 'must be a status from 400 to 599, or {"from": 500, "to": 599}';

function isFailure(status: unknown): status is number {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599;
}

/** @param problem follows the path in the sentence. */
export function wrong(path: string, problem: string): GatelogError {
  return new GatelogError('invalid_directive', `${path} ${problem}.`, { details: { path } });
}
