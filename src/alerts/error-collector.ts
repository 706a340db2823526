/** Errors of some organisations, which keep no other from its evaluation. */
export class ErrorCollector {
  private readonly signal: AbortSignal;
  private readonly all: unknown[] = [];

  /** @param signal of a stop, after which nothing goes on. */
  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.signal.throwIfAborted();
      this.all.push(error);
    }
  }

  rethrowFirst(): void {
    if (this.all.length > 0) throw this.all[0];
  }
}
