import { ChdbConnection, type ConnBaseQueryParams } from 'chdb/connection';

/** Signals for which the engine installs a handler when it starts. */
const engineSignals = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGSYS', 'SIGTRAP', 'SIGTSTP'] as const;

/** Characters of a statement with few and small parameters, as nearly all have. */
const smallStatement = 8 * 1024;
/** Characters of larger statements after which a connection is spent. */
const maxCharacters = 64 * 1024;

/**
 * A connection to the engine in this process. TRICKY: parameters stay set on it, and cannot be unset. Every later query copies all of
 * them: behind 8 MiB of values a query of one millisecond takes seventeen. So a connection that may hold many is spent, and replaced by a
 * new one.
 */
export class EmbeddedConnection extends ChdbConnection {
  private characters = 0;

  constructor(options: ConstructorParameters<typeof ChdbConnection>[0]) {
    super(options);
    restoreSignals();
  }

  get isSpent(): boolean {
    return this.characters > maxCharacters;
  }

  override async query(params: ConnBaseQueryParams): ReturnType<ChdbConnection['query']> {
    this.note(params);
    return super.query(params);
  }

  override async command(params: ConnBaseQueryParams): ReturnType<ChdbConnection['command']> {
    this.note(params);
    return super.command(params);
  }

  private note({ query }: ConnBaseQueryParams): void {
    if (query.length > smallStatement && query.startsWith('SET ')) this.characters += query.length;
  }
}

/**
 * Lets a crash end the process at once. TRICKY: the engine's handler keeps the thread that crashed asleep for five minutes, while the
 * other threads go on, so the supervisor notices nothing. Removing the last listener of a signal restores the system's default action.
 */
function restoreSignals(): void {
  for (const signal of engineSignals) process.on(signal, ignore).off(signal, ignore);
}

function ignore(): void {
  // Is never called.
}
