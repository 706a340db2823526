import { createHash, type Hash } from 'node:crypto';
import { parseJson } from '../../model/text.ts';
import type { CacheKey } from '../../state/cached-responses.ts';
import type { CachePolicy } from '../directives/cache.ts';
import type { HeaderList } from '../../platform/http/header-list.ts';
import { wireFacts } from '../../providers/wire-facts.ts';
import { topObject } from '../bodies/shape.ts';
import { bytesAt, lengthOfMark } from '../json/scan.ts';

/** All that a reply may depend on. The credential for the provider is not part of it: an organisation's callers share what was paid for. */
export interface KeyedCall {
  readonly organizationId: string;
  readonly method: string;
  /** Where it goes: an origin with a path and query, or what answers it in this process. */
  readonly origin: string;
  readonly path: string;
  /** Header lines as they go out. */
  readonly headers: HeaderList;
  /** The body as it goes out. */
  readonly body: Buffer;
}

/** Headers that decide what a provider answers, and how what was sent is to be read. */
const keyedHeaders: ReadonlySet<string> = new Set([
  'accept',
  'content-encoding',
  'content-language',
  'content-type',
  'prefer',
  'range',
  'x-http-method-override',
  ...wireFacts.versionHeaders,
  ...wireFacts.cacheKeyHeaders,
]);

/** A body over this size is hashed in steps: 16 MiB take 30 ms. */
export const hashedInlineMaxBytes = 1024 * 1024;
/** One step takes a millisecond or two. */
const stepBytes = 1024 * 1024;

/** The key under which the reply to a call is kept: equal for calls that differ in nothing that counts. */
export function cacheKeyOf(call: KeyedCall, ask: CachePolicy): CacheKey {
  const steps = cacheKeySteps(call, ask);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** As {@link cacheKeyOf}, in steps between which other calls may go on. */
export function* cacheKeySteps(call: KeyedCall, { seed, places, ignoredKeys }: CachePolicy): Generator<void, CacheKey, undefined> {
  const { organizationId, method, origin, path, headers, body } = call;
  const hash = createHash('sha256');
  // Of whoever ignores a key the reply may be that to another value of it: it is given to those alone who ignore the same ones.
  const ignored = [...new Set(ignoredKeys)].toSorted();
  for (const part of [method, origin, path, seed, JSON.stringify(ignored), ...keyedLines(headers)]) add(hash, part);
  yield* hashBody(hash, body, ignored);
  return { organizationId, fingerprint: hash.digest('base64url'), places };
}

/** Each part with its length in front, so that no two lists of parts are the same bytes. */
function add(hash: Hash, part: string | Buffer): void {
  hash.update(`${Buffer.byteLength(part)}:`).update(part);
}

/** As {@link add}, of a part that may be large. */
function* addLarge(hash: Hash, part: Buffer): Generator<void, void, undefined> {
  if (part.length <= stepBytes) {
    add(hash, part);
    return;
  }
  hash.update(`${part.length}:`);
  for (let start = 0; start < part.length; start += stepBytes) {
    hash.update(part.subarray(start, start + stepBytes));
    yield;
  }
}

function keyedLines(headers: HeaderList): readonly string[] {
  const lines: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const lower = headers[index]?.toLowerCase() ?? '';
    if (keyedHeaders.has(lower)) lines.push(JSON.stringify([lower, headers[index + 1]?.trim()]));
  }
  return lines.toSorted();
}

/**
 * A JSON object counts by its members, each by its name and the bytes of its value, in the order of their names; anything else by its bytes. What
 * is scanned is not parsed: where two bodies have the same members, both are JSON, or neither is.
 * TRICKY: values are never compared as parsed: two numbers of more than 15 digits may parse to one.
 */
function* hashBody(hash: Hash, body: Buffer, ignoredKeys: readonly string[]): Generator<void, void, undefined> {
  const { object, isWhole } = topObject(body);
  // A mark in front is no JSON of itself.
  if (object === undefined || !isWhole || lengthOfMark(body) > 0) {
    add(hash, 'bytes');
    yield* addLarge(hash, body);
    return;
  }
  const ignored = new Set(ignoredKeys);
  const members = object.members
    .map(({ name, value }) => ({ name: bytesAt(body, name), value: bytesAt(body, value) }))
    // TRICKY: the sort is stable, so of a name given twice the later value stays the later one.
    .toSorted((one, other) => Buffer.compare(one.name, other.name));
  add(hash, 'members');
  for (const { name, value } of members) {
    if (ignored.size > 0 && ignored.has(nameOf(name))) continue;
    add(hash, name);
    yield* addLarge(hash, value);
  }
}

/** A member's name with its escapes resolved. */
function nameOf(written: Buffer): string {
  return String(parseJson(`"${written.toString('utf8')}"`));
}
