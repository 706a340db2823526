import { rmSync } from 'node:fs';
import path from 'node:path';
import { isJsonObject, parseRecordedJson } from '../../model/text.ts';
import { ensureFolder, readFileIfPresent, replaceFile } from '../../platform/files.ts';
import { CommandError } from '../base/dependencies.ts';
import type { Folders, SettingsFile } from './agent.ts';

/** What a set-up has done to a file: enough to take it back. */
export interface ChangedFile extends SettingsFile {
  /** Its bytes before in base64; null: there was no such file. */
  readonly before: string | null;
  /** Permission bits before; null without a file. */
  readonly modeBefore: number | null;
  /** Its bytes behind the set-up, in base64. */
  readonly after: string;
  /** Folders that were made for it, outermost first. */
  readonly madeFolders: readonly string[];
}

/** What is remembered of an agent that is set up. */
export interface SetUp {
  readonly version: 1;
  readonly gateway: string;
  readonly files: readonly ChangedFile[];
}

/** Of one agent, readable by its user alone: it holds the key, and what the files held before. */
function fileOf(agent: string, { home, environment }: Folders): string {
  const given = environment['XDG_STATE_HOME'] ?? '';
  return path.join(given === '' ? path.join(home, '.local', 'state') : path.resolve(given), 'gatelog', 'agents', `${agent}.json`);
}

/** @returns undefined when the agent is not set up. @throws CommandError for a file that somebody else has written. */
export function rememberedSetUp(agent: string, folders: Folders): SetUp | undefined {
  const file = fileOf(agent, folders);
  const text = readFileIfPresent(file);
  if (text === undefined) return undefined;
  const value = parseRecordedJson(text);
  if (isJsonObject(value) && value['version'] === 1 && Array.isArray(value['files'])) return value as unknown as SetUp;
  throw new CommandError(`${file} is not as Gatelog writes it. Take our settings out of the agent's files by hand, then remove it.`);
}

/** Durable on return. */
export function remember(agent: string, folders: Folders, setUp: SetUp): void {
  const file = fileOf(agent, folders);
  ensureFolder(path.dirname(file));
  replaceFile(file, `${JSON.stringify(setUp)}\n`);
}

export function forget(agent: string, folders: Folders): void {
  rmSync(fileOf(agent, folders), { force: true });
}
