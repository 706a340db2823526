import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { readEntry, readOn, readText, type StatusRange, defaultFailures, wrong } from './fallbacks.ts';
import { fieldName, type HeaderList } from '../../platform/http/header-list.ts';

/** One entry of a list as Helicone documents it. The first is the first attempt. */
export interface ListedTarget {
  /** Where it stands, for the sentence that refuses it. */
  readonly place: string;
  readonly targetUrl: string;
  /** Header lines of this attempt alone, name and value in turn. None of ours is among them. */
  readonly lines: HeaderList;
  /** Members that stand in the body in place of the caller's. */
  readonly bodyOverride: JsonObject | undefined;
  /** Statuses of this attempt's own reply after which the next entry is asked. */
  readonly onCodes: readonly StatusRange[];
}

const knownFields = ['target-url', 'headers', 'onCodes', 'bodyKeyOverride'];
const maxTargetUrlCharacters = 2048;
const maxLines = 50;
/** Of an override: to look for thousands of them in a body takes longer than the body does. */
const maxMembers = 100;
/** Characters of a header's value; a token of some clouds has more than 2,000. */
const maxValue = 8192;
/** What a header may hold (RFC 9110 §5.5), a byte a character. */
const fieldValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** Whether a list is in Helicone's form: an entry has one of its fields, none of which is one of ours. */
export function namesTargets(entries: readonly unknown[]): boolean {
  return entries.some((entry) => isJsonObject(entry) && knownFields.some((field) => Object.hasOwn(entry, field)));
}

/**
 * Reads a list in Helicone's form.
 * @param name the header as the caller wrote it.
 * @throws GatelogError `invalid_directive`, with the place of what is wrong.
 */
export function readTargets(entries: readonly unknown[], name: string): readonly ListedTarget[] {
  return entries.map((entry, index) => readTarget(entry, `${name}[${index}]`));
}

function readTarget(given: unknown, place: string): ListedTarget {
  const entry = readEntry(given, place, knownFields);
  const { onCodes } = entry;
  const goesOnNever = Array.isArray(onCodes) && onCodes.length === 0;
  return {
    place,
    targetUrl: readText(entry['target-url'], `${place}.target-url`, maxTargetUrlCharacters),
    lines: readLines(entry['headers'], `${place}.headers`),
    bodyOverride: readOverride(entry['bodyKeyOverride'], `${place}.bodyKeyOverride`),
    onCodes: goesOnNever ? [] : onCodes === undefined ? defaultFailures : readOn(onCodes, `${place}.onCodes`),
  };
}

/** Lines of ours are left out, as no provider gets them. Values are not told, as most of them are keys. */
function readLines(value: unknown, place: string): HeaderList {
  if (value === undefined) return [];
  if (!isJsonObject(value)) throw wrong(place, 'must be an object such as {"Authorization": "Bearer …"}');
  const entries = Object.entries(value);
  if (entries.length > maxLines) throw wrong(place, `holds at most ${maxLines} headers; got ${entries.length}`);
  return entries.flatMap(([name, text]) => {
    const lower = name.toLowerCase();
    if (!fieldName.test(name)) throw wrong(place, `has ${JSON.stringify(name.slice(0, 60))}, which is no name of a header`);
    const line = `${place}.${name.slice(0, 60)}`;
    if (typeof text !== 'string' || text.length > maxValue) throw wrong(line, `must be a text of at most ${maxValue} characters`);
    if (lower === 'content-encoding') throw wrong(line, 'cannot be set, as all attempts send the body in the coding that it came in');
    const bytes = Buffer.from(text).toString('latin1').trim();
    if (!fieldValue.test(bytes)) throw wrong(line, 'has characters that no header may have');
    return lower.startsWith('svc-') || lower.startsWith('helicone-') ? [] : [name, bytes];
  });
}

function readOverride(value: unknown, place: string): JsonObject | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw wrong(place, 'must be an object such as {"model": "gpt-4o"}');
  const members = Object.keys(value).length;
  if (members > maxMembers) throw wrong(place, `holds at most ${maxMembers} members; got ${members}`);
  return members === 0 ? undefined : value;
}
