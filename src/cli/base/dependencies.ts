import path from 'node:path';
import type { ClickHouseServers } from '../../config/clickhouse-url.ts';
import type { Config } from '../../config/load.ts';
import { printable } from '../../config/text-table.ts';
import { hasRecords, lostMetadata, refuseUnreachable, useDataDir } from '../../supervisor/data-folder.ts';
import { rejectUnsupportedSettings } from '../../main/shared.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { hasMetadata } from '../../metadata/metadata-file.ts';
import { systemClock } from '../../platform/clock.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { asInvoked } from './invocation-text.ts';
import { paintedLines, wantsColours } from './paint.ts';

/** The effects of commands. */
export interface CommandDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes a result and a line break to standard output. */
  readonly print: (text: string) => void;
  /** Writes bytes to standard output, as fast as its reader takes them. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Writes a line for people to standard error. */
  readonly hint: (text: string) => void;
  /** Shows the progress of a long command in one line that the next call replaces; an empty text clears it. */
  readonly progress: (text: string) => void;
  /** Width of the terminal; undefined when a program reads the output. */
  readonly columns?: number | undefined;
  /** Whether the output has colours. */
  readonly isColoured: boolean;
  /** The file whose `GATELOG_API_KEY` and `GATELOG_API_URL` hold where the environment has none. */
  readonly environmentFile: string;
  /**
   * Aborts when the process is to end (Ctrl-C, SIGTERM, a terminal that is closed). The second such signal ends the process, unless the
   * command cleans up: then only the command's own end does.
   */
  readonly untilInterrupted: (options?: { readonly cleansUp?: true }) => AbortSignal;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Opens and migrates the metadata database, creating it where it is missing; the caller closes it. */
  readonly openDatabase: (config: Config) => Promise<MetadataDatabase>;
  /** Tries ClickHouse servers. @returns the results one by one. */
  readonly tryServers: (servers: ClickHouseServers) => Promise<AsyncIterable<TriedRule>>;
}

/** What servers must do, and whether they do. */
export interface TriedRule {
  readonly name: string;
  /** What was seen instead; undefined: it holds. */
  readonly fault?: string;
  /** What to do about a fault. */
  readonly remedy: string;
}

/** The dependencies with a checked configuration. */
export interface CommandContext extends CommandDependencies {
  readonly config: Config;
}

/** A failure that a person can fix; its message is the one sentence that they see. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** An option or argument that cannot be understood. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super(message, exitCodes.misused);
  }
}

/** The service cannot be reached, cannot work now, or has broken off its answer. */
export class AwayError extends CommandError {
  override readonly name = 'AwayError';

  constructor(message: string) {
    super(message, exitCodes.unreachable);
  }
}

/** The program that reads standard output has ended. */
export class ReaderLeft extends CommandError {
  override readonly name = 'ReaderLeft';
}

/** The real process. @param environment usually `process.env`. */
export function systemDependencies(environment: CommandDependencies['environment']): CommandDependencies {
  return {
    environment,
    print: (text) => process.stdout.write(`${paintedLines(text)}\n`),
    write: writeToReader,
    // A hint may quote what a service has answered.
    hint: (text) => process.stderr.write(`${asInvoked(text.split('\n').map(printable).join('\n'), environment)}\n`),
    progress: (text) => {
      // Return to the start of the line, write, and erase the rest.
      if (process.stderr.isTTY) process.stderr.write(`\r${printable(text)}\u001b[K`);
    },
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    isColoured: wantsColours(environment, process.stdout.isTTY),
    environmentFile: '.env',
    untilInterrupted,
    now: systemClock.now,
    openDatabase: async (config) => {
      rejectUnsupportedSettings(config);
      useDataDir(config.dataDir);
      if (!hasMetadata(config.dataDir) && hasRecords(config.dataDir)) throw lostMetadata(config.dataDir);
      // Not needed by the commands that run the service.
      const { openMigratedMetadata } = await import('../../metadata/migrate.ts');
      return openMigratedMetadata(config.dataDir, 'core', systemClock.now);
    },
    tryServers: async (servers) => (await import('../../main/try-servers.ts')).tryServers(servers),
  };
}

/** A reader that has left, such as `head`, wants no more: the command ends. */
export function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
}

/** @throws CommandError when nothing can be written. */
function writeToReader(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      const message = `Standard output cannot be written (${error.message}).`;
      reject('code' in error && error.code === 'EPIPE' ? new ReaderLeft(message) : new CommandError(message));
    };
    process.stdout.once('error', fail);
    process.stdout.write(bytes, (error) => {
      // TRICKY: the event of a failed write comes after this, and needs its listener.
      if (error instanceof Error) return fail(error);
      process.stdout.off('error', fail);
      resolve();
    });
  });
}

function untilInterrupted({ cleansUp }: { readonly cleansUp?: true } = {}): AbortSignal {
  const interruption = new AbortController();
  const listen = cleansUp === true ? process.on.bind(process) : process.once.bind(process);
  // TRICKY: npm sends on what the terminal has sent already, so that one Ctrl-C comes twice.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) listen(signal, () => interruption.abort(new Error('interrupted')));
  return interruption.signal;
}

/** Trims a name for storage. @throws CommandError when it is empty, too long or has control characters. */
export function checkedName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 128 || /\p{Cc}/u.test(name)) {
    throw new CommandError('A name has 1 to 128 characters and no control characters.');
  }
  return name;
}

/**
 * Runs `work` on the existing database of a data folder and closes it. @throws CommandError when there is none: a command that only reads
 * creates nothing.
 */
export async function withDatabase<T>(context: CommandContext, work: (database: MetadataDatabase) => Promise<T>): Promise<T> {
  const { config } = context;
  rejectUnsupportedSettings(config);
  refuseUnreachable(config.dataDir);
  if (!hasMetadata(config.dataDir)) {
    throw new CommandError(
      `There is no Gatelog data in ${path.resolve(config.dataDir)}. Set GATELOG_DATA_DIR to the folder that "gatelog serve" shows as Data, or begin here with "gatelog serve" or "gatelog orgs create NAME".`,
    );
  }
  return withDatabaseMade(context, work);
}

/** As {@link withDatabase}, but creates the folder and the database where they are missing. */
export async function withDatabaseMade<T>(context: CommandContext, work: (database: MetadataDatabase) => Promise<T>): Promise<T> {
  const database = await context.openDatabase(context.config);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
