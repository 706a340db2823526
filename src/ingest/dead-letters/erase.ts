import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Erasure } from '../../model/erasure.ts';
import type { Exchange } from '../../model/record/exchange.ts';
import { type OrganizationId, parseUuid, type RequestId } from '../../model/ids.ts';
import { endOfJsonString } from '../../model/json/strings.ts';
import { isJsonObject, type JsonObject, parseRecordedJson, wellFormed } from '../../model/text.ts';
import { isMissing, namesIn, syncFolder } from '../../platform/files.ts';
import { assembleExchange } from '../interpret/assemble.ts';
import { decodeContent } from '../interpret/body.ts';
import { isForm } from '../interpret/multipart.ts';

/** Counts or erases a user's dead letters. Both return the number of letters, and throw when a file cannot be read or removed. */
export interface ErasableLetters {
  readonly count: (erasure: Erasure) => Promise<number>;
  readonly erase: (erasure: Erasure) => Promise<number>;
}

const extension = '.letter';

/** Removes the rows that the store took of a record before it refused the rest. */
export type RemoveOrphans = (record: { readonly organizationId: OrganizationId; readonly requestId: RequestId }) => Promise<void>;

export function makeErasableLetters(folder: string, removeOrphans: RemoveOrphans): ErasableLetters {
  const countWhere = async (matches: (file: string) => Promise<boolean>): Promise<number> => {
    let count = 0;
    for (const name of namesIn(folder)) if (name.endsWith(extension) && (await matches(path.join(folder, name)))) count += 1;
    return count;
  };
  return {
    count: (erasure) => countWhere(async (file) => (await readOwned(file, erasure)) !== undefined),
    erase: (erasure) => countWhere((file) => eraseLetter(file, erasure, removeOrphans)),
  };
}

/** @returns the letter's head, its first line; undefined when the letter is not the user's, or gone. */
async function readOwned(file: string, erasure: Erasure): Promise<JsonObject | undefined> {
  const letter = await readIfThere(file);
  if (letter === undefined) return undefined;
  const [head, rest] = letter.split('\n', 2).map(parseRecordedJson);
  return isJsonObject(head) && isJsonObject(rest) && isUsersLetter(erasure, { ...head, ...rest }) ? head : undefined;
}

/** A replay may store the letter, or an operator discard it, after the folder was read. */
async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Removes the store's part first: without the letter nothing names its user. @returns whether the letter was the user's. */
async function eraseLetter(file: string, erasure: Erasure, removeOrphans: RemoveOrphans): Promise<boolean> {
  const head = await readOwned(file, erasure);
  if (head === undefined) return false;
  const requestId = parseUuid(String(head['requestId']));
  if (requestId !== undefined) await removeOrphans({ organizationId: erasure.organizationId, requestId });
  rmSync(file, { force: true });
  syncFolder(path.dirname(file));
  return true;
}

function isUsersLetter(erasure: Erasure, letter: unknown): boolean {
  if (!isJsonObject(letter) || letter['organizationId'] !== erasure.organizationId) return false;
  const exchange = exchangeOf(letter['frames']);
  if (exchange === undefined || exchange.open.openedAt > erasure.erasedAt) return false;
  const named = exchange.open.tags.userId ?? '';
  return named === '' ? mentionsUser(exchange, erasure.userId) : named === erasure.userId;
}

function exchangeOf(frames: unknown): Exchange | undefined {
  if (!Array.isArray(frames)) return undefined;
  const known = frames.filter(isJsonObject).map(({ kind, stamp, payload }) => ({
    frame: { kind: Number(kind), stamp: Number(stamp) },
    payload: Buffer.from(typeof payload === 'string' ? payload : '', 'base64'),
  }));
  try {
    return assembleExchange(known);
  } catch {
    return undefined;
  }
}

/**
 * Whether the request's body may name the user. It is not interpreted, because interpretation may be what failed: any string equal to the
 * name counts, so that rather too many letters are removed than too few.
 */
function mentionsUser(exchange: Exchange, userId: string): boolean {
  const { requestBody, receivedBody, responseHead, end } = exchange;
  if (bodyContains(exchange, requestBody, userId)) return true;
  // The letter holds both the caller's body and the members that overrode it.
  const overrides = [exchange.open, responseHead, end].flatMap((part) => part?.bodyOverride ?? []);
  if (overrides.length === 0) return false;
  return (
    bodyContains(exchange, Buffer.from(JSON.stringify(overrides)), userId) ||
    bodyContains(exchange, receivedBody ?? Buffer.alloc(0), userId)
  );
}

function bodyContains({ open: { headers }, requestTail }: Exchange, body: Uint8Array, userId: string): boolean {
  const begun = decodeContent(body, headers['content-encoding']) ?? Buffer.from(body);
  const decoded = requestTail === undefined ? begun : Buffer.concat([begun, requestTail]);
  if (isForm(headers['content-type'] ?? '')) return decoded.includes(userId);
  return decoded.includes(JSON.stringify(userId)) || (decoded.includes('\\') && containsString(decoded.toString('utf8'), userId));
}

/** JSON escapes a UTF-16 unit in at most six characters: `\u0061`. */
const maxEscapeLength = 6;

/**
 * Whether a string of a body is the name, whichever of its characters are escaped. Anything between two quotation marks counts as a
 * string: the body need not be JSON. One pass; strings that cannot be the name by their length are skipped.
 */
function containsString(body: string, name: string): boolean {
  const maxLength = name.length * maxEscapeLength;
  let start = body.indexOf('"') + 1;
  while (start > 0) {
    const end = endOfJsonString(body, start);
    // A string with an escape is longer than its value.
    if (end - start > name.length && end - start <= maxLength && wellFormed(unescaped(body.slice(start, end))) === name) return true;
    start = end + 1;
  }
  return false;
}

const escapes: ReadonlyMap<string, string> = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }));

/** TRICKY: not `JSON.parse`, which takes microseconds for each string that is invalid, and a body may have millions. */
function unescaped(content: string): string {
  return content.replaceAll(/\\(?:u([\dA-Fa-f]{4})|(.))/gsu, (_, unit: string | undefined, short: string) =>
    unit === undefined ? (escapes.get(short) ?? short) : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}
