import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { partCompressor } from '../../export/compression.ts';
import type { WriterOptions } from '../../export/writer.ts';
import { type Compression, fileCompression } from '../../model/vocabulary/export.ts';
import { ensureFolder, replaceFile, syncFolder } from '../../platform/files.ts';
import { CommandError } from '../base/dependencies.ts';
import { type FileOptions, FileWriter } from './file-writer.ts';
import type { ExportFacts, ReceivedLine } from './source.ts';
import { type ExportedFile, type ExportState, readState, saveState } from './state.ts';

/** Where an export goes: a file, or a folder of files with a manifest. */
export interface Place {
  readonly folder: string;
  /** Undefined: a folder of files. */
  readonly file: string | undefined;
  /** Of files in a folder: `.csv.gz`. */
  readonly ending: string;
}

export interface DestinationOptions {
  readonly place: Place;
  readonly writer: WriterOptions;
  readonly compression: Compression;
  readonly isResumed: boolean;
  /** Names the options of the export. */
  readonly of: string;
  /** Members of the manifest beside the files. */
  readonly described: Readonly<Record<string, unknown>>;
  readonly sizes: FileSizes;
}

export interface FileSizes {
  /** Of a file in a folder. */
  readonly maxFileBytes: number;
  /** Bytes of lines after which what came is made safe. */
  readonly syncBytes: number;
}

const mebi = 1024 * 1024;
export const defaultSizes: FileSizes = { maxFileBytes: 1024 * mebi, syncBytes: 32 * mebi };

const stateName = '.gatelog-export.json';
const manifestName = 'manifest.json';

/** Writes an export so that one that broke off, or was killed, can go on behind the last record that is safe. */
export class Destination {
  private readonly options: DestinationOptions;
  private readonly fileOptions: FileOptions;
  private files: readonly ExportedFile[] = [];
  private current: FileWriter;
  private facts: ExportFacts | undefined;
  private sinceSync = 0;

  private constructor(options: DestinationOptions, fileOptions: FileOptions, current: FileWriter) {
    this.options = options;
    this.fileOptions = fileOptions;
    this.current = current;
  }

  /** @returns also the state that it continues. @throws CommandError when there is another export in its place. */
  static async open(options: DestinationOptions): Promise<{ readonly destination: Destination; readonly state: ExportState | undefined }> {
    const { place, writer, compression, isResumed, of } = options;
    ensureFolder(place.folder);
    if (place.file === undefined && existsSync(path.join(place.folder, manifestName))) {
      throw new CommandError(`${place.folder} holds a finished export. Name another folder.`);
    }
    const state = readState(stateFile(place));
    if (state !== undefined && !isResumed) {
      throw new CommandError(
        `An export to ${shownPlace(place)} broke off. Add --resume to go on, or delete ${stateFile(place)} to start again.`,
      );
    }
    if (state !== undefined && state.of !== of) {
      throw new CommandError(
        `The export to ${shownPlace(place)} that broke off had other options. Repeat them, or delete ${stateFile(place)} to start again.`,
      );
    }
    const compress = await partCompressor(fileCompression(writer.format, compression));
    const fileOptions = { folder: place.folder, writer, compress };
    const current = await (state === undefined
      ? FileWriter.create(nameOf(place, 1), fileOptions)
      : FileWriter.continue(state.current, fileOptions));
    const destination = new Destination(options, fileOptions, current);
    destination.files = state?.files ?? [];
    return { destination, state };
  }

  /** Records so far. */
  get rows(): number {
    return this.files.reduce((sum, { rows }) => sum + rows, this.current.rowCount);
  }

  get bytes(): number {
    return this.files.reduce((sum, { bytes }) => sum + bytes, this.current.writtenBytes);
  }

  /** Call it before the first line. The window of an export never changes. */
  begin(facts: ExportFacts): void {
    this.facts ??= facts;
  }

  async add(lines: readonly ReceivedLine[]): Promise<void> {
    for (const line of lines) {
      if (
        this.options.place.file === undefined &&
        this.current.rowCount > 0 &&
        this.current.maxBytes + 2 * line.bytes.length > this.options.sizes.maxFileBytes
      ) {
        this.files = [...this.files, await this.current.end()];
        this.current = await FileWriter.create(nameOf(this.options.place, this.files.length + 1), this.fileOptions);
      }
      await this.current.add(line);
      this.sinceSync += line.bytes.length;
    }
    const cursor = lines.at(-1)?.cursor;
    if (cursor !== undefined && this.sinceSync >= this.options.sizes.syncBytes) await this.sync(cursor);
  }

  async sync(cursor: string): Promise<void> {
    this.sinceSync = 0;
    const { place, of } = this.options;
    const { start, end } = this.window();
    const current = await this.current.sync();
    saveState(stateFile(place), { of, start, end, cursor, rows: this.rows, files: this.files, current });
  }

  /** The export is whole. @returns its manifest. */
  async finish(): Promise<object> {
    const { place, described } = this.options;
    const files = [...this.files, await this.current.end()];
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    const named = files.map((file) => (place.file === undefined ? file : { ...file, name: place.file }));
    const manifest = { version: 1, window: this.window(), ...described, files: named, rows };
    if (place.file === undefined) replaceFile(path.join(place.folder, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`);
    // A state without its file would be an export that cannot go on.
    rmSync(stateFile(place), { force: true });
    if (place.file !== undefined) renameSync(path.join(place.folder, nameOf(place, 1)), path.join(place.folder, place.file));
    syncFolder(place.folder);
    return manifest;
  }

  abandon(): void {
    this.current.abandon();
  }

  private window(): Pick<ExportFacts, 'start' | 'end'> {
    if (this.facts === undefined) throw new TypeError('An export was written before it began.');
    return { start: this.facts.start, end: this.facts.end };
  }
}

/** @param ending of files in a folder. */
export function placeOf(output: string, ending: string): Place {
  const isFolder = /[/\\]$/.test(output) || statSync(output, { throwIfNoEntry: false })?.isDirectory() === true;
  const whole = path.resolve(output);
  return isFolder ? { folder: whole, file: undefined, ending } : { folder: path.dirname(whole), file: path.basename(whole), ending };
}

function shownPlace({ folder, file }: Place): string {
  return file === undefined ? folder : path.join(folder, file);
}

function stateFile({ folder, file }: Place): string {
  return path.join(folder, file === undefined ? stateName : `.${file}.gatelog-export.json`);
}

/** A single file has its name once it is whole. */
function nameOf({ file, ending }: Place, number: number): string {
  return file === undefined ? `requests-${String(number).padStart(5, '0')}${ending}` : `${file}.partial`;
}
