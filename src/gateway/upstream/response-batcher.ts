import type { GatelogError } from '../../model/errors.ts';
import type { ParserCallbacks } from './connection.ts';
import type { ResponseHead } from './response-head.ts';
import type { ResponseSink } from './response-sink.ts';

const endOfTurn = Promise.resolve();

/**
 * Feeds one response to its sink. Chunks from one read of the connection are joined, because a stream has many small ones and each costs a
 * write and a frame.
 *
 * A sink that throws fails only its own call. TRICKY: the connection catches only what is thrown during a read; from a microtask, or while
 * a connection closes, an exception would end the process with all its calls.
 */
export class ResponseBatcher implements ParserCallbacks {
  private readonly sink: ResponseSink;
  private readonly failure: (error: unknown) => GatelogError;
  private gathered: Buffer[] = [];
  private awaitsEndOfTurn = false;
  private hasFailed = false;

  /** @param failure maps the error of a connection. */
  constructor(sink: ResponseSink, failure: (error: unknown) => GatelogError) {
    this.sink = sink;
    this.failure = failure;
  }

  head({ status, lines, message }: ResponseHead): void {
    this.sink.start(status, lines, message);
    this.awaitEndOfTurn();
  }

  /** @throws after the sink has failed, which closes the connection. */
  body(chunk: Buffer): void {
    if (this.hasFailed) throw new Error('the reply is passed on to nobody, as its sink has failed');
    this.gathered.push(chunk);
    this.awaitEndOfTurn();
  }

  whole(): void {
    if (this.hasFailed) return;
    try {
      this.passOn();
      this.sink.finish();
    } catch (error) {
      this.fail(error);
    }
  }

  broken(error: Error): void {
    if (this.hasFailed) return;
    try {
      this.passOn();
    } catch (thrown) {
      this.fail(thrown);
      return;
    }
    this.fail(error);
  }

  private awaitEndOfTurn(): void {
    if (this.awaitsEndOfTurn) return;
    this.awaitsEndOfTurn = true;
    // A microtask runs after everything from one read, and costs a third of a tick.
    void endOfTurn.then(() => this.endTurn());
  }

  private endTurn(): void {
    this.awaitsEndOfTurn = false;
    if (this.hasFailed) return;
    try {
      this.passOn();
      this.sink.sendHeadEarly();
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.hasFailed = true;
    this.gathered = [];
    try {
      this.sink.fail(this.failure(error));
    } catch {
      // The sink failed again, so nobody is left to notify.
    }
  }

  private passOn(): void {
    const [first] = this.gathered;
    if (first === undefined) return;
    const chunk = this.gathered.length === 1 ? first : Buffer.concat(this.gathered);
    this.gathered = [];
    this.sink.data(chunk);
  }
}
