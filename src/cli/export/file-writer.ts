import { createHash, type Hash } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, openSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import type { CompressPart } from '../../export/compression.ts';
import { type LineWriter, lineWriter } from '../../export/line-writer.ts';
import { formatTraits } from '../../model/vocabulary/export.ts';
import type { WriterOptions } from '../../export/writer.ts';
import { syncFolder, writeFully } from '../../platform/files.ts';
import { CommandError } from '../base/dependencies.ts';
import type { ReceivedLine } from './source.ts';
import type { CurrentFile, ExportedFile, FileWindow } from './state.ts';

export interface FileOptions {
  readonly folder: string;
  readonly writer: WriterOptions;
  readonly compress: CompressPart;
}

/** Bytes that are compressed and written at once. */
const partBytes = 4 * 1024 * 1024;

export class FileWriter {
  private readonly name: string;
  private readonly descriptor: number;
  private readonly hash: Hash;
  private readonly lines: LineWriter;
  private readonly compress: CompressPart;
  private readonly facts: (typeof formatTraits)[WriterOptions['format']];
  private rows: number;
  private bytes: number;
  private arrivals: CurrentFile['arrivals'];
  /** Of lines since the last write: an upper bound of what they add to the file. */
  private waitingBytes = 0;

  private constructor(
    { name, rows, bytes, arrivals }: CurrentFile,
    given: { readonly descriptor: number; readonly hash: Hash; readonly lines: LineWriter; readonly options: FileOptions },
  ) {
    this.name = name;
    this.rows = rows;
    this.bytes = bytes;
    this.arrivals = arrivals;
    this.descriptor = given.descriptor;
    this.hash = given.hash;
    this.lines = given.lines;
    this.compress = given.options.compress;
    this.facts = formatTraits[given.options.writer.format];
  }

  static async create(name: string, options: FileOptions): Promise<FileWriter> {
    const descriptor = openSync(path.join(options.folder, name), 'w', 0o600);
    syncFolder(options.folder);
    const lines = await lineWriter(options.writer);
    return new FileWriter({ name, rows: 0, bytes: 0 }, { descriptor, hash: createHash('sha256'), lines, options });
  }

  /** Goes on behind what is known to be whole. @throws CommandError when that is not there any more. */
  static async continue(current: CurrentFile, options: FileOptions): Promise<FileWriter> {
    const file = path.join(options.folder, current.name);
    const present = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (present < current.bytes) {
      throw new CommandError(
        `${file} is shorter than when the export broke off. Delete what was exported, and start again without --resume.`,
      );
    }
    truncateSync(file, current.bytes);
    const descriptor = openSync(file, 'a');
    const hash = createHash('sha256');
    for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer);
    const lines = await lineWriter(options.writer, { progress: current.progress });
    return new FileWriter(current, { descriptor, hash, lines, options });
  }

  /** At most this many bytes, were the file ended now. */
  get maxBytes(): number {
    return this.bytes + this.waitingBytes + (this.facts.hasGroups ? endBytes : 0);
  }

  get rowCount(): number {
    return this.rows;
  }

  /** Bytes that are on the disk or on their way. */
  get writtenBytes(): number {
    return this.bytes;
  }

  async add({ bytes, cursor }: ReceivedLine): Promise<void> {
    this.lines.add(bytes);
    this.rows += 1;
    const arrival = cursor.slice(0, cursor.indexOf(','));
    this.arrivals = [this.arrivals?.[0] ?? arrival, arrival];
    this.waitingBytes += bytes.length * this.facts.growth;
    if (this.lines.readyBytes() >= partBytes) await this.write();
  }

  /** Everything that was added is on the disk on return. */
  async sync(): Promise<CurrentFile> {
    this.lines.flush();
    await this.write();
    this.waitingBytes = 0;
    fsyncSync(this.descriptor);
    return { name: this.name, rows: this.rows, bytes: this.bytes, arrivals: this.arrivals, progress: this.lines.progress() };
  }

  async end(): Promise<ExportedFile> {
    this.lines.end();
    await this.write();
    fsyncSync(this.descriptor);
    closeSync(this.descriptor);
    return { name: this.name, rows: this.rows, bytes: this.bytes, sha256: this.hash.digest('hex'), window: windowOf(this.arrivals) };
  }

  /** What was not synced is not part of the export. */
  abandon(): void {
    closeSync(this.descriptor);
  }

  private async write(): Promise<void> {
    const bytes = this.lines.take();
    if (bytes.length === 0) return;
    const part = await this.compress(bytes);
    writeFully(this.descriptor, part);
    this.hash.update(part);
    this.bytes += part.length;
    // Rows of a group that is not full still wait.
    if (!this.facts.hasGroups) this.waitingBytes = 0;
  }
}

/** Arrivals are whole milliseconds. */
function windowOf(arrivals: CurrentFile['arrivals']): FileWindow | null {
  return arrivals === undefined ? null : { start: arrivals[0], end: new Date(Date.parse(arrivals[1]) + 1).toISOString() };
}

/** More than the end of any file of a gigabyte that has groups. */
const endBytes = 4 * 1024 * 1024;
