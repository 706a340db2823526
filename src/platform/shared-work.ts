/**
 * Work that several callers ask for at the same time is done once. Whoever leaves waits no longer; once nobody waits, the work is aborted.
 */
export class SharedWork<Result> {
  private readonly running = new Map<string, Running<Result>>();

  /**
   * @param key equal for the same work.
   * @param work takes the signal that ends it.
   * @throws what the work throws, or the abort reason of the signal.
   */
  async run(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    const running = this.running.get(key) ?? this.begin(key, work);
    running.waiting += 1;
    return new Promise<Result>((resolve, reject) => {
      const leave = (): void => {
        reject(signal.reason as Error);
        this.left(key, running, signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      running.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  private begin(key: string, work: (signal: AbortSignal) => Promise<Result>): Running<Result> {
    const end = new AbortController();
    const running: Running<Result> = {
      result: work(end.signal).finally(() => this.forget(key, running)),
      end,
      waiting: 0,
    };
    this.running.set(key, running);
    return running;
  }

  private left(key: string, running: Running<Result>, reason: unknown): void {
    running.waiting -= 1;
    if (running.waiting > 0) return;
    // Whoever asks from now on gets work of its own.
    this.forget(key, running);
    running.end.abort(reason);
  }

  private forget(key: string, running: Running<Result>): void {
    if (this.running.get(key) === running) this.running.delete(key);
  }
}

interface Running<Result> {
  readonly result: Promise<Result>;
  readonly end: AbortController;
  waiting: number;
}
