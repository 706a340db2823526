import { readdirSync, statSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ClickHouseSettings } from '@clickhouse/client';
import { ensureFolder } from '../../platform/files.ts';

/** A statement as it was sent to a server. */
export interface KeptStatement {
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly settings: ClickHouseSettings;
  readonly body: Buffer;
}

interface Head extends Omit<KeptStatement, 'body'> {
  /** Unix milliseconds. */
  readonly at: number;
  readonly bodyBytes: number;
}

interface KeptFile {
  readonly file: string;
  readonly beganAt: number;
  /** Unix milliseconds, of the last statement. */
  lastAt: number;
  bytes: number;
}

export interface KeptFilesOptions {
  readonly folder: string;
  readonly keepMs: number;
  /** Of all files; the oldest go first. */
  readonly maxBytes: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Statements went before their time, for want of room. */
  readonly onDropped: (bytes: number) => void;
}

const ending = '.kept';
const filesInTime = 10;
const maxFileBytes = 64 * 1024 * 1024;
const lengthBytes = 4;

/**
 * Statements in the order in which they were acknowledged, in files that are removed as a whole. Each is a length, a head as JSON and a
 * body; the end of a process may leave the last one incomplete, which is left out.
 */
export class KeptFiles {
  private readonly options: KeptFilesOptions;
  private readonly files: KeptFile[];
  private handle: FileHandle | undefined;

  constructor(options: KeptFilesOptions) {
    this.options = options;
    ensureFolder(options.folder);
    const names = readdirSync(options.folder).filter((name) => name.endsWith(ending));
    this.files = names.toSorted().map((name) => {
      const file = path.join(options.folder, name);
      const { mtimeMs, size } = statSync(file);
      return { file, beganAt: Number.parseInt(name, 10), lastAt: mtimeMs, bytes: size };
    });
  }

  get bytes(): number {
    return this.files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** One at a time. @param body pieces, which may change once this has ended. */
  async append({ query, headers, settings }: Omit<KeptStatement, 'body'>, body: readonly Uint8Array[]): Promise<void> {
    const at = this.options.now();
    const bodyBytes = body.reduce((sum, { length }) => sum + length, 0);
    const head = Buffer.from(JSON.stringify({ query, headers, settings, at, bodyBytes } satisfies Head));
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32LE(head.length);
    const { handle, known } = await this.current(at);
    try {
      const { bytesWritten } = await handle.writev([length, head, ...body]);
      if (bytesWritten < lengthBytes + head.length + bodyBytes) throw new Error('The disk took a part of a statement.');
      Object.assign(known, { lastAt: at, bytes: known.bytes + bytesWritten });
    } catch (error) {
      // What follows a part of a statement could not be read.
      await this.close();
      throw error;
    }
    await this.removeOld();
  }

  /** Removes what is too old, and the oldest beyond the room. Not while a statement is appended. */
  async removeOld(): Promise<void> {
    const { keepMs, maxBytes, now, onDropped } = this.options;
    const since = now() - keepMs;
    for (let oldest = this.files[0]; oldest !== undefined; oldest = this.files[0]) {
      const isOld = oldest.lastAt < since;
      const isTooMuch = this.files.length > 1 && this.bytes > maxBytes;
      if (!isOld && !isTooMuch) return;
      if (this.files.length === 1) await this.close();
      this.files.shift();
      await rm(oldest.file, { force: true });
      if (!isOld) onDropped(oldest.bytes);
    }
  }

  /** Those that are young enough, the oldest first, with those that are appended meanwhile. */
  async *statements(): AsyncGenerator<KeptStatement, undefined> {
    const since = this.options.now() - this.options.keepMs;
    const read = new Map<KeptFile, number>();
    const unread = (): KeptFile | undefined => this.files.find((one) => (read.get(one) ?? 0) < one.bytes);
    for (let next = unread(); next !== undefined; next = unread()) {
      const handle = await open(next.file);
      try {
        const found = await statementAt(handle, read.get(next) ?? 0);
        read.set(next, found?.end ?? Number.POSITIVE_INFINITY);
        if (found === undefined || found.head.at < since) continue;
        const { at: _at, bodyBytes: _bytes, ...statement } = found.head;
        yield { ...statement, body: found.body };
      } finally {
        await handle.close();
      }
    }
  }

  async close(): Promise<void> {
    await this.handle?.close();
    this.handle = undefined;
  }

  private async current(at: number): Promise<{ readonly handle: FileHandle; readonly known: KeptFile }> {
    const { folder, keepMs } = this.options;
    const last = this.files.at(-1);
    if (this.handle !== undefined && last !== undefined && at - last.beganAt < keepMs / filesInTime && last.bytes < maxFileBytes) {
      return { handle: this.handle, known: last };
    }
    await this.close();
    // A clock that was set back must not bring a file before those that are older.
    const beganAt = Math.max(at, (last?.beganAt ?? 0) + 1);
    const known = { file: path.join(folder, `${String(beganAt).padStart(15, '0')}${ending}`), beganAt, lastAt: at, bytes: 0 };
    this.handle = await open(known.file, 'ax', 0o600);
    this.files.push(known);
    return { handle: this.handle, known };
  }
}

async function statementAt(handle: FileHandle, position: number) {
  const length = await bytesAt(handle, position, lengthBytes);
  const head = length && (await bytesAt(handle, position + lengthBytes, length.readUInt32LE()));
  if (head === undefined) return undefined;
  const read = JSON.parse(head.toString()) as Head;
  const bodyAt = position + lengthBytes + head.length;
  const body = await bytesAt(handle, bodyAt, read.bodyBytes);
  return body && { head: read, body, end: bodyAt + read.bodyBytes };
}

/** @returns undefined when the file has fewer. */
async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer | undefined> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  return bytesRead < length ? undefined : buffer;
}
