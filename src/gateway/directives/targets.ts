import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { readEntry, readOn, readText, type StatusRange, defaultFailures, wrong } from './fallbacks.ts';
import { fieldName, type HeaderList } from '../../platform/http/header-list.ts';

/** One entry of a list in Helicone's form. The first entry is the first attempt. */
export interface ListedTarget {
  /** JSON path of the entry, for error messages. */
  readonly path: string;
  readonly targetUrl: string;
  /** Headers of this attempt alone. None of ours is among them. */
  readonly headers: HeaderList;
  /** Members that replace those of the caller's body. */
  readonly bodyOverride: JsonObject | undefined;
  /** Statuses of this attempt after which the next entry is tried. */
  readonly onCodes: readonly StatusRange[];
}

const knownFields = ['target-url', 'headers', 'onCodes', 'bodyKeyOverride'];
const maxTargetUrlCharacters = 2048;
const maxHeaders = 50;
/** Members of an override: a search for thousands of them would take longer than reading the body. */
const maxMembers = 100;
/** Characters of a header's value; tokens of some clouds have more than 2,000. */
const maxValueCharacters = 8192;
/** RFC 9110 §5.5, one character per byte. */
const fieldValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** Whether a list is in Helicone's form. The field names of the two forms are disjoint. */
export function namesTargets(entries: readonly unknown[]): boolean {
  return entries.some((entry) => isJsonObject(entry) && knownFields.some((field) => Object.hasOwn(entry, field)));
}

/**
 * Reads a list in Helicone's form.
 * @param name the header as the caller wrote it.
 * @throws GatelogError `invalid_directive`, with the path of the error.
 */
export function readTargets(entries: readonly unknown[], name: string): readonly ListedTarget[] {
  return entries.map((entry, index) => readTarget(entry, `${name}[${index}]`));
}

function readTarget(given: unknown, path: string): ListedTarget {
  const entry = readEntry(given, path, knownFields);
  const { onCodes } = entry;
  const isLast = Array.isArray(onCodes) && onCodes.length === 0;
  return {
    path,
    targetUrl: readText(entry['target-url'], `${path}.target-url`, maxTargetUrlCharacters),
    headers: readHeaders(entry['headers'], `${path}.headers`),
    bodyOverride: readOverride(entry['bodyKeyOverride'], `${path}.bodyKeyOverride`),
    onCodes: isLast ? [] : onCodes === undefined ? defaultFailures : readOn(onCodes, `${path}.onCodes`),
  };
}

/** Our own headers are left out, as they never reach a provider. Errors do not quote values, most of which are keys. */
function readHeaders(value: unknown, path: string): HeaderList {
  if (value === undefined) return [];
  if (!isJsonObject(value)) throw wrong(path, 'must be an object such as {"Authorization": "Bearer …"}');
  const entries = Object.entries(value);
  if (entries.length > maxHeaders) throw wrong(path, `holds at most ${maxHeaders} headers; got ${entries.length}`);
  return entries.flatMap(([name, text]) => {
    const lower = name.toLowerCase();
    if (!fieldName.test(name)) throw wrong(path, `has ${JSON.stringify(name.slice(0, 60))}, which is no name of a header`);
    const headerPath = `${path}.${name.slice(0, 60)}`;
    if (typeof text !== 'string' || text.length > maxValueCharacters) {
      throw wrong(headerPath, `must be a text of at most ${maxValueCharacters} characters`);
    }
    if (lower === 'content-encoding') throw wrong(headerPath, 'cannot be set, as all attempts send the body in the coding that it came in');
    const bytes = Buffer.from(text).toString('latin1').trim();
    if (!fieldValue.test(bytes)) throw wrong(headerPath, 'has characters that no header may have');
    return lower.startsWith('svc-') || lower.startsWith('helicone-') ? [] : [name, bytes];
  });
}

function readOverride(value: unknown, path: string): JsonObject | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw wrong(path, 'must be an object such as {"model": "gpt-4o"}');
  const members = Object.keys(value).length;
  if (members > maxMembers) throw wrong(path, `holds at most ${maxMembers} members; got ${members}`);
  return members === 0 ? undefined : value;
}
