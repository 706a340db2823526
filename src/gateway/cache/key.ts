import { createHash, type Hash } from 'node:crypto';
import { parseJson } from '../../model/text.ts';
import type { CacheKey } from '../../state/cached-responses.ts';
import type { CachePolicy } from '../directives/cache.ts';
import type { HeaderList } from '../../platform/http/header-list.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import { topObject } from '../bodies/shape.ts';
import { bytesAt, byteOrderMarkBytes, type Member } from '../json/scan.ts';

/**
 * Everything that a response may depend on, except the credential for the provider: the callers of an organisation share what it paid for.
 */
export interface KeyedCall {
  readonly organizationId: string;
  readonly method: string;
  /** Origin of the target; the provider's name for a built-in one. */
  readonly origin: string;
  readonly path: string;
  /** As sent to the provider. */
  readonly headers: HeaderList;
  /** As sent to the provider. */
  readonly body: Buffer;
}

/** Headers that change the response, or the meaning of the body. */
const keyedHeaders: ReadonlySet<string> = new Set([
  'accept',
  'content-encoding',
  'content-language',
  'content-type',
  'prefer',
  'range',
  'x-http-method-override',
  ...wireProfile.versionHeaders,
  ...wireProfile.cacheKeyHeaders,
]);

/** Larger bodies are hashed in steps: 16 MiB take 30 ms. */
export const hashedInlineMaxBytes = 1024 * 1024;
/** A step takes one or two milliseconds. */
const stepBytes = 1024 * 1024;

/** Equal for calls that differ in nothing that may change the response. */
export function cacheKeyOf(call: KeyedCall, policy: CachePolicy): CacheKey {
  const steps = cacheKeySteps(call, policy);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** As {@link cacheKeyOf}, in steps, so that other calls run in between. */
export function* cacheKeySteps(call: KeyedCall, { seed, buckets, ignoredKeys }: CachePolicy): Generator<void, CacheKey, undefined> {
  const { organizationId, method, origin, path, headers, body } = call;
  const hash = createHash('sha256');
  // With ignored keys, the response may be one to other values of them, so only calls that ignore the same keys share it.
  const ignored = [...new Set(ignoredKeys)].toSorted();
  for (const part of [method, origin, path, seed, JSON.stringify(ignored), ...keyedHeaderTexts(headers)]) addPart(hash, part);
  yield* hashBody(hash, body, ignored);
  return { organizationId, fingerprint: hash.digest('base64url'), buckets };
}

/** Length-prefixed, so that different lists of parts never hash the same bytes. */
function addPart(hash: Hash, part: string | Buffer): void {
  hash.update(`${Buffer.byteLength(part)}:`).update(part);
}

/** As {@link add}, in steps. */
function* addLargePart(hash: Hash, part: Buffer): Generator<void, void, undefined> {
  if (part.length <= stepBytes) {
    addPart(hash, part);
    return;
  }
  hash.update(`${part.length}:`);
  for (let start = 0; start < part.length; start += stepBytes) {
    hash.update(part.subarray(start, start + stepBytes));
    yield;
  }
}

function keyedHeaderTexts(headers: HeaderList): readonly string[] {
  const lines: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const lower = headers[index]?.toLowerCase() ?? '';
    if (keyedHeaders.has(lower)) lines.push(JSON.stringify([lower, headers[index + 1]?.trim()]));
  }
  return lines.toSorted();
}

/**
 * Hashes a JSON object by its members, each by its name and the bytes of its value, in order of names; anything else by its bytes. The
 * scan does not validate values, but of two bodies with the same members, both are JSON or neither is.
 * TRICKY: values are not compared as parsed, because two numbers of more than 15 digits may parse to the same one.
 */
function* hashBody(hash: Hash, body: Buffer, ignoredKeys: readonly string[]): Generator<void, void, undefined> {
  const { object, isComplete } = topObject(body);
  // A byte-order mark is not JSON.
  if (object === undefined || !isComplete || byteOrderMarkBytes(body) > 0) {
    addPart(hash, 'bytes');
    yield* addLargePart(hash, body);
    return;
  }
  const ignored = new Set(ignoredKeys);
  const members = object.members
    .map((member) => memberOf(body, member))
    // TRICKY: the sort is stable, so members that a server may take for one keep their order, which decides whose value it takes.
    .toSorted((one, other) => compareTexts(one.sameAs, other.sameAs));
  addPart(hash, 'members');
  for (const { name, written, value } of members) {
    if (ignored.has(name)) continue;
    addPart(hash, written);
    yield* addLargePart(hash, value);
  }
}

interface KeyedMember {
  readonly name: string;
  readonly written: Buffer;
  readonly value: Buffer;
  /** Equal for names that servers take for one: some ignore case, as Go's `encoding/json` does, with all that Unicode folds together. */
  readonly sameAs: string;
}

function memberOf(body: Buffer, member: Member): KeyedMember {
  const written = bytesAt(body, member.name);
  const text = written.toString('utf8');
  const name = text.includes('\\') ? String(parseJson(`"${text}"`)) : text;
  return { name, written, value: bytesAt(body, member.value), sameAs: name.toUpperCase().toLowerCase() };
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
