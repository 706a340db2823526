import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type AcceptedChange, type ChangeKind, changeContent, readChange } from '../../model/change.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { isJsonObject, parseJson, parseRecordedJson } from '../../model/text.ts';
import { ensureFolder, isMissing, namesIn, readFileIfPresent, replaceFile } from '../../platform/files.ts';
import { readPayloads } from '../../spool/payload-reader.ts';
import type { TrackedExchange } from '../series/exchange.ts';

/** An exchange that could not be interpreted or stored. */
export interface DeadLetter {
  readonly exchange: TrackedExchange;
  readonly seriesFolder: string;
  readonly reason: string;
  /** Accepted changes, oldest first. */
  readonly changes: readonly AcceptedChange[];
}

/** Keeps an exchange as a dead letter, so that it can be replayed; durable on return. */
export type WriteDeadLetter = (letter: DeadLetter) => void;

/** A letter without its bodies and changes. */
export interface DeadLetterHead {
  /** The same for the same exchange whenever it fails. */
  readonly id: string;
  /** When it was kept, ISO 8601. */
  readonly at: string;
  readonly reason: string;
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
  /** When the request arrived, Unix milliseconds; 0 where its first frame cannot be read. */
  readonly openedAt: number;
  /** Of all payloads. */
  readonly bytes: number;
}

/** A frame of a letter; `payload` is undefined where the spool could not be read or the letter was too large. */
export interface LetterFrame {
  readonly kind: number;
  readonly stamp: number;
  readonly payload: Buffer | undefined;
}

export interface FullDeadLetter extends DeadLetterHead {
  readonly frames: readonly LetterFrame[];
  readonly changes: readonly AcceptedChange[];
}

export interface DeadLetterUsage {
  readonly letters: number;
  /** Of their files. */
  readonly bytes: number;
}

/** A letter's file that is too old, or beyond the max bytes. */
export interface OverdueLetter {
  readonly file: string;
  /** Because of its age. */
  readonly expired: boolean;
}

export interface DeadLetterPage {
  /** Id of the letter after which the page begins. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Only letters whose reason contains this text. */
  readonly reason?: string | undefined;
}

const extension = '.letter';
const idShape = /^[0-9a-f]{12}-[0-9a-f]{16}$/;
const maxReason = 2000;
/** Always more than a head, which is one line. */
const headBytes = 16 * 1024;
/**
 * Max bytes of all payloads of a complete letter. As base64 they are one string, which V8 limits to 512 MiB. An exchange has two bodies of
 * at most 128 MiB (`GATELOG_RECORD_MAX_BYTES`), so only one recorded by an earlier version is larger.
 */
const maxPayloadBytes = 288 * 1024 * 1024;
/** Max letters that one call searches for a reason. */
const maxSearched = 2000;

/**
 * Dead letters are files, mode 0600. The first line is the head; the second has every frame as base64, and the changes.
 *
 * The id consists of the arrival of the request and a hash of the exchange. So a letter kept a second time, after a crash before its
 * checkpoint or because it failed again, replaces the first, and ids sort by time.
 */
export class DeadLetters {
  private readonly folder: string;
  private readonly now: () => number;
  private readonly maxBytes: number;
  /** Undefined until counted. */
  private counted: DeadLetterUsage | undefined;

  /** @param now Unix milliseconds. @param maxBytes of all payloads of a complete letter; a larger one is kept without payloads. */
  constructor(folder: string, now: () => number, maxBytes: number = maxPayloadBytes) {
    this.folder = folder;
    this.now = now;
    this.maxBytes = maxBytes;
  }

  readonly keep: WriteDeadLetter = ({ exchange, seriesFolder, reason, changes }) => {
    ensureFolder(this.folder);
    const { organizationId, requestId, openedAt } = exchange;
    const isTooLarge = exchange.bytes > this.maxBytes;
    const payloads = isTooLarge ? [] : payloadsOf(seriesFolder, exchange);
    const frames = exchange.frames.map(({ kind, stamp }, index) => ({ kind, stamp, payload: payloads[index]?.toString('base64') ?? null }));
    const id = `${openedAt.toString(16).padStart(12, '0')}-${hashOf([organizationId, requestId, frames])}`;
    const head = {
      version: 1,
      at: new Date(this.now()).toISOString(),
      reason: (isTooLarge ? `${tooLargeNote(exchange.bytes)} ${reason}` : reason).slice(0, maxReason),
      organizationId,
      requestId,
      openedAt,
      bytes: payloads.reduce((sum, { length }) => sum + length, 0),
    };
    const rest = {
      frames,
      changes: changes.map(({ change, keyId, acceptedAt, number }) => ({
        kind: change.kind,
        content: changeContent(change),
        keyId,
        acceptedAt,
        number,
      })),
    };
    const file = this.fileOf(id);
    this.updatingUsage(file, () => replaceFile(file, `${JSON.stringify(head)}\n${JSON.stringify(rest)}\n`));
  };

  /** Counts every file of the folder once, then updates the count with each letter written or removed here. */
  usage(): DeadLetterUsage {
    this.counted ??= sumOf(this.files());
    return this.counted;
  }

  /** Call it after other code has changed the folder. */
  recount(): void {
    this.counted = undefined;
  }

  /** When the request of the latest letter arrived, Unix milliseconds; 0 without one. */
  latestOpenedAt(): number {
    return namesIn(this.folder).reduce((latest, name) => {
      const id = path.basename(name, extension);
      return idShape.test(id) ? Math.max(latest, Number.parseInt(id.slice(0, 12), 16)) : latest;
    }, 0);
  }

  count(): number {
    return this.ids().length;
  }

  /** A page of letters, latest requests first. `next` is the id of the last letter searched; null at the end. */
  list({ after, limit, reason = '' }: DeadLetterPage): { readonly letters: readonly DeadLetterHead[]; readonly next: string | null } {
    const ids = this.ids().filter((id) => after === undefined || id < after);
    const letters: DeadLetterHead[] = [];
    for (const [index, id] of ids.entries()) {
      if (letters.length >= limit || index >= maxSearched) return { letters, next: ids[index - 1] ?? null };
      const head = this.head(id);
      if (head?.reason.includes(reason) === true) letters.push(head);
    }
    return { letters, next: null };
  }

  /** @returns undefined without a letter of that id. @throws when it is damaged. */
  async read(id: string): Promise<FullDeadLetter | undefined> {
    if (!idShape.test(id)) return undefined;
    try {
      return parseLetter(id, await readFile(this.fileOf(id), 'utf8'));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  has(id: string): boolean {
    return idShape.test(id) && existsSync(this.fileOf(id));
  }

  remove(id: string): void {
    if (idShape.test(id)) this.removeFile(this.fileOf(id));
  }

  /** Replaces the reason of a letter; does nothing for a missing or damaged one. */
  updateReason(id: string, reason: string): void {
    const text = idShape.test(id) ? readFileIfPresent(this.fileOf(id)) : undefined;
    const [first = '', ...rest] = text?.split('\n') ?? [];
    if (parseHead(id, first) === undefined) return;
    const head = { ...(parseJson(first) as object), reason: reason.slice(0, maxReason) };
    const file = this.fileOf(id);
    this.updatingUsage(file, () => replaceFile(file, [JSON.stringify(head), ...rest].join('\n')));
  }

  /** Letters kept before a time, and the oldest beyond `maxBytes` in total; newest first. @param before Unix milliseconds. */
  overdue(before: number, maxBytes: number): readonly OverdueLetter[] {
    const files = this.files().toSorted((one, other) => other.keptAt - one.keptAt || (other.file < one.file ? -1 : 1));
    this.counted = sumOf(files);
    let bytes = 0;
    return files.flatMap(({ file, keptAt, size }) => {
      const expired = keptAt < before;
      bytes += expired ? 0 : size;
      return expired || bytes > maxBytes ? [{ file, expired }] : [];
    });
  }

  /** The head of an overdue letter; undefined for a damaged file. */
  headOfFile(file: string): DeadLetterHead | undefined {
    const id = path.basename(file, extension);
    const text = idShape.test(id) ? firstBytes(file) : undefined;
    return text === undefined ? undefined : parseHead(id, text.split('\n', 1)[0] ?? '');
  }

  discard({ file }: OverdueLetter): void {
    this.removeFile(file);
  }

  private removeFile(file: string): void {
    this.updatingUsage(file, () => rmSync(file, { force: true }));
  }

  /** Changes a letter's file and updates the usage, also after a failure. */
  private updatingUsage(file: string, change: () => void): void {
    const before = usageOf(file);
    try {
      change();
    } finally {
      const after = usageOf(file);
      const { counted } = this;
      this.counted = counted && {
        letters: counted.letters + after.letters - before.letters,
        bytes: counted.bytes + after.bytes - before.bytes,
      };
    }
  }

  private fileOf(id: string): string {
    return path.join(this.folder, id + extension);
  }

  /** Latest requests first. */
  private ids(): string[] {
    return namesIn(this.folder)
      .filter((name) => name.endsWith(extension))
      .map((name) => name.slice(0, -extension.length))
      .filter((id) => idShape.test(id))
      .toSorted()
      .toReversed();
  }

  /** Every file of the folder: files of earlier versions in another format expire as well. */
  private files(): { readonly file: string; readonly keptAt: number; readonly size: number }[] {
    return namesIn(this.folder).flatMap((name) => {
      const file = path.join(this.folder, name);
      const found = statSync(file, { throwIfNoEntry: false });
      return found?.isFile() === true ? [{ file, keptAt: found.mtimeMs, size: found.size }] : [];
    });
  }

  private head(id: string): DeadLetterHead | undefined {
    const text = firstBytes(this.fileOf(id));
    return text === undefined ? undefined : (parseHead(id, text.split('\n', 1)[0] ?? '') ?? damagedHead(id));
  }
}

function sumOf(files: readonly { readonly size: number }[]): DeadLetterUsage {
  return { letters: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}

function usageOf(file: string): DeadLetterUsage {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? { letters: 0, bytes: 0 } : { letters: 1, bytes: found.size };
}

function tooLargeNote(bytes: number): string {
  return `Its ${bytes} bytes are too many for a letter, so none of them is here, and it cannot be replayed.`;
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

/** Empty where the spool cannot be read. */
function payloadsOf(seriesFolder: string, exchange: TrackedExchange): readonly Buffer[] {
  try {
    return readPayloads(seriesFolder, exchange.frames);
  } catch {
    return [];
  }
}

function firstBytes(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(headBytes);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, headBytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

function parseHead(id: string, line: string): DeadLetterHead | undefined {
  const head = parseJson(line);
  if (!isJsonObject(head) || head['version'] !== 1) return undefined;
  const { at, reason, organizationId, requestId, openedAt, bytes } = head as unknown as DeadLetterHead;
  return { id, at, reason, organizationId, requestId, openedAt, bytes };
}

/** A damaged letter stays visible in the list. */
function damagedHead(id: string): DeadLetterHead {
  const unknownId = '' as OrganizationId;
  return { id, at: '', reason: 'the letter itself is damaged', organizationId: unknownId, requestId: unknownId, openedAt: 0, bytes: 0 };
}

interface StoredFrame {
  readonly kind: number;
  readonly stamp: number;
  readonly payload: string | null;
}

interface StoredChange extends Pick<AcceptedChange, 'keyId' | 'acceptedAt' | 'number'> {
  readonly kind: ChangeKind;
  readonly content: unknown;
}

function parseLetter(id: string, text: string): FullDeadLetter {
  const [first = '', second = ''] = text.split('\n');
  const head = parseHead(id, first);
  const rest = parseRecordedJson(second);
  if (head === undefined || !isJsonObject(rest)) throw new Error(`the dead letter ${id} is damaged, or of a newer version`);
  const { frames, changes } = rest as unknown as { readonly frames: readonly StoredFrame[]; readonly changes: readonly StoredChange[] };
  return {
    ...head,
    frames: frames.map(({ payload, ...frame }) => ({ ...frame, payload: payload === null ? undefined : Buffer.from(payload, 'base64') })),
    changes: changes.flatMap(({ kind, content, ...accepted }) => {
      const change = readChange(kind, content);
      const { organizationId, requestId } = head;
      return change === undefined ? [] : [{ organizationId, requestId, change, ...accepted }];
    }),
  };
}
