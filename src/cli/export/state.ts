import { createHash } from 'node:crypto';
import { parseRecordedJson } from '../../model/text.ts';
import { readFileIfPresent, replaceFile } from '../../platform/files.ts';
import { CommandError } from '../base/dependencies.ts';

export interface ExportedFile {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Null without a record. */
  readonly window: FileWindow | null;
}

/** From the arrival of the first record to a millisecond behind that of the last one, exclusive; ISO 8601. */
export interface FileWindow {
  readonly start: string;
  readonly end: string;
}

/** How far an export has come: everything that is in it is on the disk. */
export interface ExportState {
  /** Of the export's options: another export does not continue this one. */
  readonly of: string;
  readonly start: string | null;
  readonly end: string;
  /** Behind the last record. */
  readonly cursor: string | undefined;
  readonly rows: number;
  readonly files: readonly ExportedFile[];
  readonly current: CurrentFile;
}

export interface CurrentFile {
  readonly name: string;
  readonly rows: number;
  /** What lies behind them is not part of the export. */
  readonly bytes: number;
  /** Arrivals of the first and the last record. */
  readonly arrivals?: readonly [string, string] | undefined;
  /** Of the writer. */
  readonly progress?: unknown;
}

const version = 2;

export function saveState(file: string, state: ExportState): void {
  replaceFile(file, JSON.stringify({ version, ...state }));
}

/** @returns undefined without one. @throws CommandError for one of another version. */
export function readState(file: string): ExportState | undefined {
  const text = readFileIfPresent(file);
  if (text === undefined) return undefined;
  const state = parseRecordedJson(text) as (ExportState & { readonly version?: unknown }) | null | undefined;
  if (state?.version === version) return state;
  throw new CommandError(`${file} is not the state of an export of this version. Delete it and what was exported, and start again.`);
}

/** Names the options of an export. */
export function fingerprintOf(options: unknown): string {
  return createHash('sha256').update(JSON.stringify(options)).digest('hex');
}
