import { messageOf } from '../../model/errors.ts';
import { CommandError } from '../base/dependencies.ts';
import type { SettingsFile } from './agent.ts';
import { bytesFrom, bytesOf, modeOf, textFrom } from './files.ts';
import { withChanges, withoutChanges } from './formats/changes.ts';
import type { Format } from './formats/format.ts';
import { json } from './formats/json.ts';
import { toml } from './formats/toml.ts';
import { yaml } from './formats/yaml.ts';
import type { ChangedFile } from './record.ts';

const formats: Readonly<Record<SettingsFile['format'], Format>> = { json, toml, yaml };

/** What a file becomes, and what it was without us. */
export type PlannedFile = Omit<ChangedFile, 'madeFolders'>;

/** A file that is set up, without our settings. */
export interface Withdrawn {
  /** Undefined: no file. */
  readonly bytes: Buffer | undefined;
  /** It is what it was before to the byte, because nobody else has changed it since. */
  readonly isAsBefore: boolean;
}

/** @param earlier what an earlier set-up did to the same file. @throws CommandError when the file cannot be changed. */
export function plannedFile(file: SettingsFile, earlier: ChangedFile | undefined): PlannedFile {
  const current = earlier === undefined ? { bytes: bytesOf(file.path), isAsBefore: true } : withdrawn(earlier);
  const text = current.bytes === undefined ? '' : textFrom(current.bytes, file.path);
  const after = attempt(file, 'be changed', () => withChanges(formats[file.format], text, file.changes));
  return {
    ...file,
    before: current.bytes?.toString('base64') ?? null,
    modeBefore: earlier === undefined ? modeOf(file.path) : earlier.modeBefore,
    after: bytesFrom(after, current.bytes).toString('base64'),
  };
}

/** @throws CommandError when the file cannot be understood. */
export function withdrawn(file: ChangedFile): Withdrawn {
  const current = bytesOf(file.path);
  const [before, after] = [file.before === null ? undefined : Buffer.from(file.before, 'base64'), Buffer.from(file.after, 'base64')];
  const asBefore = { bytes: before, isAsBefore: true };
  if (current === undefined) return before === undefined ? asBefore : { bytes: undefined, isAsBefore: false };
  // Equal to what was before: an undo was broken off.
  if (current.equals(after) || before?.equals(current) === true) return asBefore;
  const original = before === undefined ? '' : textFrom(before, file.path);
  const without = (bytes: Buffer): string =>
    attempt(file, 'be understood', () => withoutChanges(formats[file.format], textFrom(bytes, file.path), file.changes, original));
  const text = without(current);
  return text === without(after) ? asBefore : { bytes: bytesFrom(text, current), isAsBefore: false };
}

/** Our settings alone, as they stand in a file that has nothing else. */
export function settingsAlone({ format, changes }: SettingsFile): string {
  return withChanges(formats[format], '', changes).trimEnd();
}

function attempt<T>({ path }: SettingsFile, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path} cannot ${what}: ${messageOf(error)}. Correct it, or write the settings by hand.`);
  }
}
