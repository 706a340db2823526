import type { GatelogError } from '../model/errors.ts';
import type { WireReply } from './provider-connection.ts';
import type { ReplyLines } from './reply-lines.ts';
import type { ReplySink } from './reply-sink.ts';

const endOfTurn = Promise.resolve();

/**
 * Feeds one reply to its sink. What comes in one turn of the event loop goes on as one: a stream comes in many small chunks, and each costs a
 * write and a frame.
 */
export class ReplyFeed implements WireReply {
  private readonly sink: ReplySink;
  private readonly failure: (error: unknown) => GatelogError;
  private gathered: Buffer[] = [];
  private awaitsEndOfTurn = false;

  /** @param failure what a broken connection is called. */
  constructor(sink: ReplySink, failure: (error: unknown) => GatelogError) {
    this.sink = sink;
    this.failure = failure;
  }

  head({ status, lines, message }: ReplyLines): void {
    this.sink.start(status, lines, message);
    this.awaitEndOfTurn();
  }

  body(chunk: Buffer): void {
    this.gathered.push(chunk);
    this.awaitEndOfTurn();
  }

  /** TRICKY: what is thrown here would end the process, and all its calls; elsewhere it ends the connection, and {@link broken} tells this one. */
  whole(): void {
    try {
      this.passOn();
      this.sink.finish();
    } catch (error) {
      this.sink.fail(this.failure(error));
    }
  }

  broken(error: Error): void {
    this.passOn();
    this.sink.fail(this.failure(error));
  }

  private awaitEndOfTurn(): void {
    if (this.awaitsEndOfTurn) return;
    this.awaitsEndOfTurn = true;
    // A microtask: it comes after all that one read of the connection brought, and costs a third of a tick.
    void endOfTurn.then(() => this.endTurn());
  }

  private endTurn(): void {
    this.awaitsEndOfTurn = false;
    this.passOn();
    this.sink.sendHeadEarly();
  }

  private passOn(): void {
    const [first] = this.gathered;
    if (first === undefined) return;
    const chunk = this.gathered.length === 1 ? first : Buffer.concat(this.gathered);
    this.gathered = [];
    this.sink.data(chunk);
  }
}
