import { Readable } from 'node:stream';
import { ChdbConnection, type ConnBaseQueryParams } from 'chdb/connection';
import { Slices } from '../../platform/bounds/slices.ts';

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
    const result = await super.query(params);
    return { ...result, stream: inPieces(result.stream) };
  }

  override async command(params: ConnBaseQueryParams): ReturnType<ChdbConnection['command']> {
    this.note(params);
    return super.command(params);
  }

  private note({ query }: ConnBaseQueryParams): void {
    if (query.length > smallStatement && query.startsWith('SET ')) this.characters += query.length;
  }
}

const pieceBytes = 256 * 1024;

/**
 * TRICKY: the engine puts out a whole result at once, which the client would cut into rows in one turn of the event loop: 60 MB of bodies held
 * up everybody else for a tenth of a second.
 */
function inPieces(whole: Readable): Readable {
  // Begins to read, so that the length is known.
  whole.read(0);
  if (whole.readableLength <= pieceBytes) return whole;
  // As the engine's own: a result that is closed unread has no other listener.
  return Readable.from(piecesOf(whole), { objectMode: false }).on('error', ignore);
}

async function* piecesOf(whole: Readable): AsyncGenerator<Buffer> {
  const slices = new Slices('results');
  for await (const bytes of whole as AsyncIterable<Buffer>) {
    for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
      yield bytes.subarray(at, at + pieceBytes);
      await slices.turn();
    }
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
