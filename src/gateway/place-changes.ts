import { holdsOurKey } from '../auth/api-key.ts';
import { GatelogError } from '../model/errors.ts';
import { isJsonObject, type JsonObject, parseJson, quoted } from '../model/text.ts';
import { fieldName, hopByHopNames, type RawHeaders, withoutZstd } from './headers.ts';
import { findModelField, replaceModel } from './model-field.ts';

/** What a place gets in stead of what the caller sent to all of them. */
export interface PlaceChanges {
  /** Header lines, name and value in turn. */
  readonly lines: RawHeaders;
  /** Members of the body; undefined: the body is the caller's. */
  readonly members: JsonObject | undefined;
}

/** What the connection says itself. */
const framingNames: ReadonlySet<string> = new Set([...hopByHopNames, 'connection', 'content-length']);
const mostLines = 50;
/** Characters of a value; a token of some clouds has more than 2,000. */
const longestValue = 8192;
/** What a header may hold (RFC 9110 §5.5), as bytes. */
const fieldValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/**
 * Reads header lines out of a JSON object. Lines of ours are left out, as they never go to a provider.
 * @param place where the object stands. @throws GatelogError `invalid_directive`; values are not told, as they are mostly keys.
 */
export function readPlaceLines(value: unknown, place: string): RawHeaders {
  if (value === undefined) return [];
  if (!isJsonObject(value)) throw wrong(place, 'must be an object such as {"Authorization": "Bearer …"}');
  const entries = Object.entries(value);
  if (entries.length > mostLines) throw wrong(place, `holds at most ${mostLines} headers; got ${entries.length}`);
  return entries.flatMap(([name, text]) => {
    if (!fieldName.test(name)) throw wrong(place, `has ${quoted(name.slice(0, 60))}, which is no name of a header`);
    if (typeof text !== 'string' || text.length > longestValue) {
      throw wrong(`${place}.${name}`, `must be a text of at most ${longestValue} characters`);
    }
    return lineOf(name, Buffer.from(text).toString('latin1').trim(), `${place}.${name}`);
  });
}

function lineOf(name: string, value: string, place: string): readonly string[] {
  const lower = name.toLowerCase();
  if (lower.startsWith('svc-') || lower.startsWith('helicone-')) return [];
  if (framingNames.has(lower)) throw wrong(place, 'is said by the connection itself, so it cannot be set');
  if (!fieldValue.test(value)) throw wrong(place, 'has characters that are not allowed in a header');
  if (holdsOurKey(value)) throw wrong(place, 'holds a Gatelog key, which no provider may get');
  return [name, lower === 'accept-encoding' ? withoutZstd(value) : value];
}

/** Reads what replaces members of the body. @param place where it stands. @throws GatelogError `invalid_directive`. */
export function readPlaceMembers(value: unknown, place: string): JsonObject | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw wrong(place, 'must be an object such as {"model": "gpt-4o"}');
  const fixed = Object.keys(value).find((name) => name === 'stream' || name === 'stream_options');
  if (fixed !== undefined) throw wrong(place, `has "${fixed}", which is the same for all places, as the client has to know it beforehand`);
  return Object.keys(value).length === 0 ? undefined : value;
}

/** Whether there may be a credential among these lines: then none of another is to stand beside it. */
export function bringsCredential(lines: RawHeaders): boolean {
  return lines.some((name, index) => index % 2 === 0 && !isHarmless(name));
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

function isHarmless(name: string): boolean {
  const lower = name.toLowerCase();
  return harmlessNames.has(lower) || lower.startsWith('x-stainless-');
}

/** Of the caller's lines those that hold no credential, wherever they go. */
export function harmless(lines: RawHeaders): RawHeaders {
  return lines.filter((_, index) => isHarmless(lines[index - (index % 2)] ?? ''));
}

/** Lines in which those of the same names are replaced. */
export function withLines(sent: RawHeaders, lines: RawHeaders): RawHeaders {
  const names = new Set(lines.flatMap((line, index) => (index % 2 === 0 ? [line.toLowerCase()] : [])));
  return [...sent.filter((_, index) => !names.has(sent[index - (index % 2)]?.toLowerCase() ?? '')), ...lines];
}

/**
 * Says whether these members can be replaced in a body.
 * @param place of whom they are. @throws GatelogError `invalid_directive` for what is no JSON object, or compressed.
 */
export function checkMembers(body: Buffer, members: JsonObject | undefined, place: string): void {
  if (members !== undefined && !isJsonObject(parseJson(body.toString()))) {
    throw wrong(`${place}.bodyKeyOverride`, 'cannot be applied: the body is no JSON object, or compressed');
  }
}

/**
 * A JSON object with other members. Where that is the model alone, all other bytes stay.
 * @param body was checked, see {@link checkMembers}.
 */
export function withMembers(body: Buffer, members: JsonObject | undefined): Buffer {
  if (members === undefined) return body;
  const { model, ...others } = members;
  const field = typeof model === 'string' && Object.keys(others).length === 0 ? findModelField(body) : undefined;
  if (typeof model === 'string' && field !== undefined) return replaceModel(body, field, model);
  return Buffer.from(JSON.stringify({ ...(parseJson(body.toString()) as JsonObject), ...members }));
}

/** The model that these members ask for; undefined: that of the body. */
export function modelOfMembers(members: JsonObject | undefined): string | undefined {
  const model = members?.['model'];
  return typeof model === 'string' ? model : undefined;
}

function wrong(place: string, problem: string): GatelogError {
  return new GatelogError('invalid_directive', `${place} ${problem}.`, { details: { path: place } });
}
