import { closeSync, ftruncateSync, openSync, rmSync, fsyncSync, fstatSync } from 'node:fs';
import { parseRecordedJson } from '../../model/text.ts';
import { readFileIfPresent, replaceFile, writeFully } from '../../platform/files.ts';
import { CommandError } from '../base/dependencies.ts';
import { Tally, type TallyJson } from './tally.ts';

/** What makes two runs the same import: with another one the state does not fit. */
export interface ImportIdentity {
  readonly source: string;
  readonly since: string;
  readonly until: string;
  readonly destination: string;
}

/** The state of an import between two writes of it, each atomic: a killed run continues behind the last one. */
export interface ImportState<Position> {
  readonly identity: ImportIdentity;
  position: Position;
  readonly tally: Tally;
  isFinished: boolean;
  /** Length of the file of rejected records, now and when the present day began. */
  rejectedBytes: number;
  rejectedBytesBefore: number;
}

const version = 1;

export class ProgressFile<Position> {
  private readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  get rejectedFile(): string {
    return `${this.file.replace(/\.json$/, '')}.rejected.jsonl`;
  }

  /** The state of the last run; undefined without one. @throws CommandError when the file is something else. */
  read(): ImportState<Position> | undefined {
    const text = readFileIfPresent(this.file);
    if (text === undefined) return undefined;
    const json = parseRecordedJson(text) as (StateJson<Position> & { readonly version?: unknown }) | null | undefined;
    if (json?.version !== version) {
      throw new CommandError(
        `${this.file} is not the state of an import by this version. Name another with --state, or start again with --restart.`,
      );
    }
    const { tally, ...rest } = json;
    return { ...rest, tally: Tally.fromJson(tally) };
  }

  write({ tally, ...rest }: ImportState<Position>): void {
    replaceFile(this.file, JSON.stringify({ ...rest, version, tally: tally.toJson() }));
  }
}

interface StateJson<Position> extends Omit<ImportState<Position>, 'tally'> {
  readonly tally: TallyJson;
}

/** The records that cannot be imported, one a line with the reason. A continued run drops the lines behind its state and writes them again. */
export class RejectedFile {
  bytes: number;
  private readonly file: string;
  private readonly descriptor: number;

  constructor(file: string, bytes: number) {
    this.file = file;
    this.descriptor = openSync(file, 'a', 0o600);
    this.bytes = fstatSync(this.descriptor).size;
    this.cutTo(bytes);
  }

  /** Drops the lines behind a length. */
  cutTo(bytes: number): void {
    this.bytes = Math.min(bytes, this.bytes);
    ftruncateSync(this.descriptor, this.bytes);
  }

  add(record: unknown, reason: string): void {
    const line = Buffer.from(`${JSON.stringify({ reason, record })}\n`);
    writeFully(this.descriptor, line);
    this.bytes += line.length;
  }

  sync(): void {
    fsyncSync(this.descriptor);
  }

  /** Removes an empty file. */
  close(): void {
    closeSync(this.descriptor);
    if (this.bytes === 0) rmSync(this.file, { force: true });
  }
}
