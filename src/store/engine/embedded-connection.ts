import { ChdbConnection, type ConnBaseQueryParams } from 'chdb/connection';

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
