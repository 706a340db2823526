import type { GatelogError } from '../../model/errors.ts';
import type { RequestCallbacks } from './pending-request.ts';
import type { ResponseHead } from './response-head.ts';
import type { ResponseSink } from './response-sink.ts';

const resolved = Promise.resolve();

/**
 * Feeds one response to its sink. Chunks from one read of the connection are joined, because a stream has many small ones and each costs a
 * write and a frame.
 *
 * A sink that throws fails only its own call. TRICKY: the connection catches only what is thrown during a read; from a microtask, or while
 * a connection closes, an exception would end the process with all its calls.
 */
export class ResponseBatcher implements RequestCallbacks {
  private readonly sink: ResponseSink;
  private readonly toGatelogError: (error: unknown) => GatelogError;
  private pending: Buffer[] = [];
  private isFlushScheduled = false;
  private hasFailed = false;

  /** @param toGatelogError maps the error of a connection. */
  constructor(sink: ResponseSink, toGatelogError: (error: unknown) => GatelogError) {
    this.sink = sink;
    this.toGatelogError = toGatelogError;
  }

  head({ status, lines, message }: ResponseHead): void {
    this.sink.start(status, lines, message);
    this.flushSoon();
  }

  sentAgain(ms: number): void {
    this.sink.sentAgain?.(ms);
  }

  /** @throws after the sink has failed, which closes the connection. */
  body(chunk: Buffer): void {
    if (this.hasFailed) throw new Error('the reply is passed on to nobody, as its sink has failed');
    this.pending.push(chunk);
    this.flushSoon();
  }

  complete(): void {
    if (this.hasFailed) return;
    try {
      this.flush();
      this.sink.finish();
    } catch (error) {
      this.fail(error);
    }
  }

  failed(error: Error): void {
    if (this.hasFailed) return;
    try {
      this.flush();
    } catch (thrown) {
      this.fail(thrown);
      return;
    }
    this.fail(error);
  }

  private flushSoon(): void {
    if (this.isFlushScheduled) return;
    this.isFlushScheduled = true;
    // A microtask runs after everything from one read, and costs a third of a tick.
    void resolved.then(() => this.endOfRead());
  }

  private endOfRead(): void {
    this.isFlushScheduled = false;
    if (this.hasFailed) return;
    try {
      this.flush();
      this.sink.sendHeadEarly();
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.hasFailed = true;
    this.pending = [];
    try {
      this.sink.fail(this.toGatelogError(error));
    } catch {
      // The sink failed again, so nobody is left to notify.
    }
  }

  private flush(): void {
    const [first] = this.pending;
    if (first === undefined) return;
    const chunk = this.pending.length === 1 ? first : Buffer.concat(this.pending);
    this.pending = [];
    this.sink.data(chunk);
  }
}
