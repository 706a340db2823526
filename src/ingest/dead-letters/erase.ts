import { closeSync, fstatSync, fsyncSync, openSync, readdirSync, readSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Erasure } from '../../model/erasure.ts';
import type { Exchange } from '../../model/record/exchange.ts';
import { type OrganizationId, parseUuid, type RequestId } from '../../model/ids.ts';
import { endOfJsonString, isJsonObject, type JsonObject, parseOwnJson, wellFormed } from '../../model/text.ts';
import { isSystemError, syncFolder, writeFully } from '../../platform/files.ts';
import { assembleExchange } from '../interpret/assemble.ts';
import { decodeContent } from '../interpret/body.ts';
import { isForm } from '../interpret/multipart.ts';

/** The dead letters of users. All throw when a file cannot be read or written. */
export interface ErasableLetters {
  /** How many letters a user has. */
  readonly count: (erasure: Erasure) => Promise<number>;
  /** Takes a user's letters out. @returns how many. */
  readonly erase: (erasure: Erasure) => Promise<number>;
}

const chunkBytes = 1024 * 1024;
const lineFeed = 0x0a;

/** Files of letters: a line for each letter of a day, or one letter, its head in the first line and the rest in the second. */
const daily = '.jsonl';
const single = '.letter';

/** Removes what the store took of a record before it refused the rest, and the letter has. */
export type RemoveOrphans = (record: { readonly organizationId: OrganizationId; readonly requestId: RequestId }) => Promise<void>;

type OfFile = (file: string, erasure: Erasure) => Promise<number>;

/** Makes the functions that look for letters in the files of a folder. */
export function makeErasableLetters(folder: string, removeRest: RemoveOrphans): ErasableLetters {
  const eraseSingle: OfFile = (file, erasure) => eraseLetter(file, erasure, removeRest);
  return {
    count: (erasure) =>
      sumOf(folder, erasure, { ofDaily: countIn, ofSingle: async (file) => ((await readOwned(file, erasure)) === undefined ? 0 : 1) }),
    erase: (erasure) => sumOf(folder, erasure, { ofDaily: eraseFrom, ofSingle: eraseSingle }),
  };
}

async function sumOf(
  folder: string,
  erasure: Erasure,
  { ofDaily, ofSingle }: { readonly ofDaily: OfFile; readonly ofSingle: OfFile },
): Promise<number> {
  let sum = 0;
  for (const name of filesIn(folder)) {
    const file = path.join(folder, name);
    if (name.endsWith(daily)) sum += await ofDaily(file, erasure);
    if (name.endsWith(single)) sum += await ofSingle(file, erasure);
  }
  return sum;
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** @returns undefined when the file is gone: a replay may store its letter, or somebody discard it, after the folder was read. */
async function unlessGone<Result>(opening: Promise<Result>): Promise<Result | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** @returns the letter's head; undefined when it is not the user's, or gone. */
async function readOwned(file: string, erasure: Erasure): Promise<JsonObject | undefined> {
  const letter = await unlessGone(readFile(file, 'utf8'));
  if (letter === undefined) return undefined;
  const [head, rest] = letter.split('\n', 2).map(parseOwnJson);
  return isJsonObject(head) && isJsonObject(rest) && isOf(erasure, { ...head, ...rest }) ? head : undefined;
}

/** The store's part goes first: afterwards nothing would say that it is the user's. */
async function eraseLetter(file: string, erasure: Erasure, removeRest: RemoveOrphans): Promise<number> {
  const head = await readOwned(file, erasure);
  if (head === undefined) return 0;
  const requestId = parseUuid(String(head['requestId']));
  if (requestId !== undefined) await removeRest({ organizationId: erasure.organizationId, requestId });
  rmSync(file, { force: true });
  syncFolder(path.dirname(file));
  return 1;
}

async function countIn(file: string, erasure: Erasure): Promise<number> {
  const source = await unlessGone(open(file, 'r'));
  if (source === undefined) return 0;
  const sieve = new LineFilter(undefined, erasure);
  try {
    await readThrough(source, sieve);
    sieve.finish();
  } finally {
    await source.close();
  }
  return sieve.erased;
}

/** @returns where it came to the end. */
async function readThrough(source: FileHandle, sieve: LineFilter): Promise<number> {
  let at = 0;
  for (const chunk = Buffer.allocUnsafe(chunkBytes); ;) {
    const { bytesRead } = await source.read(chunk, 0, chunkBytes, at);
    if (bytesRead === 0) return at;
    sieve.take(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/** Writes the file anew without the letters, in one step for whoever looks. The copy is hidden, so that no backup takes it along. */
async function eraseFrom(file: string, erasure: Erasure): Promise<number> {
  const source = await unlessGone(open(file, 'r'));
  if (source === undefined) return 0;
  const copy = path.join(path.dirname(file), `.${path.basename(file)}.erasing`);
  rmSync(copy, { force: true });
  const target = openSync(copy, 'wx', 0o600);
  const sieve = new LineFilter(target, erasure);
  try {
    const at = await readThrough(source, sieve);
    // TRICKY: from here on nothing may wait, else a letter that is written meanwhile would be lost with the old file.
    takeRest(source.fd, at, sieve);
    sieve.finish();
    if (sieve.erased > 0) {
      fsyncSync(target);
      if (fstatSync(target).size === 0) rmSync(file);
      else renameSync(copy, file);
      syncFolder(path.dirname(file));
    }
  } finally {
    closeSync(target);
    rmSync(copy, { force: true });
    await source.close();
  }
  return sieve.erased;
}

function takeRest(descriptor: number, from: number, sieve: LineFilter): void {
  const rest = Buffer.allocUnsafe(fstatSync(descriptor).size - from);
  for (let done = 0; done < rest.length;) {
    const got = readSync(descriptor, rest, done, rest.length - done, from + done);
    if (got === 0) throw new Error('a file of dead letters became shorter while it was read');
    done += got;
  }
  sieve.take(rest);
}

/** Passes lines on, if there is where to, but for the user's letters. */
class LineFilter {
  erased = 0;
  private readonly target: number | undefined;
  private readonly erasure: Erasure;
  private started: Buffer[] = [];

  constructor(target: number | undefined, erasure: Erasure) {
    this.target = target;
    this.erasure = erasure;
  }

  take(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      this.pass(Buffer.concat([...this.started, bytes.subarray(start, end + 1)]));
      this.started = [];
      start = end + 1;
    }
    if (start < bytes.length) this.started.push(Buffer.from(bytes.subarray(start)));
  }

  /** What stands behind the last line break, which a death in the middle of a write has left. */
  finish(): void {
    if (this.started.length > 0) this.pass(Buffer.concat(this.started));
  }

  private pass(line: Buffer): void {
    if (isOf(this.erasure, parseOwnJson(line.toString('utf8')))) this.erased += 1;
    else if (this.target !== undefined) writeFully(this.target, line);
  }
}

function isOf(erasure: Erasure, letter: unknown): boolean {
  if (!isJsonObject(letter) || letter['organizationId'] !== erasure.organizationId) return false;
  const exchange = exchangeOf(letter['frames']);
  if (exchange === undefined || exchange.open.openedAt > erasure.erasedAt) return false;
  const named = exchange.open.tags.userId ?? '';
  return named === '' ? mentions(exchange, erasure.userId) : named === erasure.userId;
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
 * Whether the body of a request can be the user's. It is not interpreted, as that is what this letter may have died of: the name as a text
 * of its own is enough, so rather a letter too many goes than one too few.
 */
function mentions(exchange: Exchange, userId: string): boolean {
  const { requestBody, receivedBody, responseHead, end } = exchange;
  if (names(exchange, requestBody, userId)) return true;
  // The letter holds what the caller sent as well as what stood in its place.
  const overrides = [exchange.open, responseHead, end].flatMap((said) => said?.bodyOverride ?? []);
  if (overrides.length === 0) return false;
  return names(exchange, Buffer.from(JSON.stringify(overrides)), userId) || names(exchange, receivedBody ?? Buffer.alloc(0), userId);
}

function names({ open: { headers }, requestTail }: Exchange, body: Uint8Array, userId: string): boolean {
  const begun = decodeContent(body, headers['content-encoding']) ?? Buffer.from(body);
  const decoded = requestTail === undefined ? begun : Buffer.concat([begun, requestTail]);
  if (isForm(headers['content-type'] ?? '')) return decoded.includes(userId);
  return decoded.includes(JSON.stringify(userId)) || (decoded.includes('\\') && isSpelledIn(decoded.toString('utf8'), userId));
}

/** A unit of a text is at most six in JSON: `\u0061`. */
const maxSpelling = 6;

/**
 * Whether a text of a body is the name however JSON spells it, as any character may be escaped. What lies between two quotation marks is taken for a
 * text wherever they stand: the body need not be JSON. One pass; what cannot be the name by its length is not looked at.
 */
function isSpelledIn(body: string, name: string): boolean {
  const longest = name.length * maxSpelling;
  let start = body.indexOf('"') + 1;
  while (start > 0) {
    const end = endOfJsonString(body, start);
    // A text with an escape in it is longer than what it says.
    if (end - start > name.length && end - start <= longest && wellFormed(unescaped(body.slice(start, end))) === name) return true;
    start = end + 1;
  }
  return false;
}

const shortEscapes: ReadonlyMap<string, string> = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }));

/** What a text says without its escapes. TRICKY: not by `JSON.parse`, which takes microseconds for each text that is none, and a body may have millions. */
function unescaped(content: string): string {
  return content.replaceAll(/\\(?:u([\dA-Fa-f]{4})|(.))/gsu, (_, unit: string | undefined, short: string) =>
    unit === undefined ? (shortEscapes.get(short) ?? short) : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}
