import path from 'node:path';
import type { Config } from '../config/load.ts';
import { hasRecords, lostMetadata, refuseUnreachable, useDataDir } from '../main/data-folder.ts';
import { rejectUnsupportedSettings } from '../main/shared.ts';
import { openMigratedMetadata } from '../metadata/migrate.ts';
import { hasMetadata, type MetadataDatabase } from '../metadata/database.ts';
import { systemClock } from '../platform/clock.ts';
import { asRun } from './spoken.ts';

/** What commands reach the world with. */
export interface CommandDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes a result and a line break to standard output. */
  readonly print: (text: string) => void;
  /** Writes what is meant for people and a line break to standard error. */
  readonly hint: (text: string) => void;
  /** Shows how far a long command is, in one line of a terminal that the next call replaces; an empty text takes it away. */
  readonly progress: (text: string) => void;
  /** Width of the terminal that shows results; undefined where a program reads them. */
  readonly columns?: number | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Opens the metadata database with its tables up to date, and makes it where it is missing; the caller closes it. */
  readonly openDatabase: (config: Config) => Promise<MetadataDatabase>;
}

/** The dependencies with a checked configuration: what one command gets. */
export interface CommandContext extends CommandDependencies {
  readonly config: Config;
}

/** A failure that a person can mend: its message is the one sentence that they see. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The real process. @param environment usually `process.env`, which only the composition root and the configuration know. */
export function systemDependencies(environment: CommandDependencies['environment']): CommandDependencies {
  return {
    environment,
    print: (text) => process.stdout.write(`${text}\n`),
    hint: (text) => process.stderr.write(`${asRun(text, environment)}\n`),
    progress: (text) => {
      // To the beginning of the line, the text, and nothing behind it.
      if (process.stderr.isTTY) process.stderr.write(`\r${text}\u001b[K`);
    },
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    now: systemClock.now,
    openDatabase: async (config) => {
      rejectUnsupportedSettings(config);
      useDataDir(config.dataDir);
      if (!hasMetadata(config.dataDir) && hasRecords(config.dataDir)) throw lostMetadata(config.dataDir);
      return openMigratedMetadata(config.dataDir, 'core', systemClock.now);
    },
  };
}

/** A name as it is stored. @throws CommandError when it is empty, too long or would move the cursor of a terminal. */
export function checkedName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 128 || /\p{Cc}/u.test(name)) {
    throw new CommandError('A name has 1 to 128 characters and no control characters.');
  }
  return name;
}

/**
 * Runs `work` on the database of a data folder that is there, and closes it, whatever happens.
 * @throws CommandError when there is none: what a command only looks at it does not make.
 */
export async function withDatabase<T>(context: CommandContext, work: (database: MetadataDatabase) => Promise<T>): Promise<T> {
  const { config } = context;
  rejectUnsupportedSettings(config);
  refuseUnreachable(config.dataDir);
  if (!hasMetadata(config.dataDir)) {
    throw new CommandError(
      `There is no data of Gatelog in ${path.resolve(config.dataDir)}. Set GATELOG_DATA_DIR to the folder that "gatelog serve" shows as Data, or begin here with "gatelog serve" or "gatelog orgs create NAME".`,
    );
  }
  return withDatabaseMade(context, work);
}

/** As {@link withDatabase}; makes the folder and the database where they are missing. */
export async function withDatabaseMade<T>(context: CommandContext, work: (database: MetadataDatabase) => Promise<T>): Promise<T> {
  const database = await context.openDatabase(context.config);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
