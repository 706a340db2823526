export interface StaleCacheOptions<Key, Value, Read extends Value | Promise<Value>> {
  /** Reads a value. Throws, or rejects, when it cannot be read. */
  readonly read: (key: Key) => Read;
  /** Milliseconds of a clock that never steps back: a corrected system clock cannot prolong a revoked key. */
  readonly monotonic: () => number;
  /** How long a value is served without another read, in milliseconds. */
  readonly freshMs: number;
  /** How long after its last successful read a value is served while reads fail, in milliseconds. Default 0: not at all. */
  readonly staleMaxMs?: number;
  /** Called on every failed read. @returns the error to throw when no value may be served; default: the error of the read. */
  readonly onFailure?: (error: unknown) => unknown;
  /** Selects the values to cache. Default: all. */
  readonly keeps?: (value: Value) => boolean;
  /** Max cached values; the least recently read one is evicted. */
  readonly capacity?: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly readAt: number;
  readonly freshUntil: number;
}

/**
 * Caches values read from metadata for seconds, and serves stale ones while reads fail. `read` may be synchronous or return a promise;
 * concurrent reads of a key share one.
 */
export class StaleCache<Key, Value, Read extends Value | Promise<Value> = Value> {
  private readonly options: StaleCacheOptions<Key, Value, Read>;
  private readonly entries = new Map<Key, Entry<Value>>();
  private readonly reads = new Map<Key, Promise<Value>>();

  constructor(options: StaleCacheOptions<Key, Value, Read>) {
    this.options = options;
  }

  /**
   * Returns the value at once when it is fresh or `read` is synchronous. Throws, or rejects, when it cannot be read and none may be
   * served.
   */
  get(key: Key): Value | Read {
    const known = this.entries.get(key);
    if (known !== undefined && this.options.monotonic() < known.freshUntil) return known.value;
    const running = this.reads.get(key);
    // Safe: only a `read` that returns promises stores any there.
    if (running !== undefined) return running as Read;
    let found: Read;
    try {
      found = this.options.read(key);
    } catch (error) {
      return this.serveStale(key, error);
    }
    if (!(found instanceof Promise)) return this.keep(key, found as Value);
    const reading: Promise<Value> = found.then(
      (value: Value) => (this.isLatest(key, reading) ? this.keep(key, value) : value),
      (error: unknown) => {
        this.isLatest(key, reading);
        return this.serveStale(key, error);
      },
    );
    this.reads.set(key, reading);
    return reading as Read;
  }

  /** Caches a value as if it had just been read. */
  set(key: Key, value: Value): void {
    this.keep(key, value);
  }

  /** Makes a change by this process visible at once: a read that began earlier is not cached. */
  forget(key: Key): void {
    this.entries.delete(key);
    this.reads.delete(key);
  }

  /** Whether no `forget` came while the read was running. */
  private isLatest(key: Key, reading: Promise<Value>): boolean {
    return this.reads.get(key) === reading && this.reads.delete(key);
  }

  private keep(key: Key, value: Value): Value {
    const { monotonic, freshMs, keeps } = this.options;
    const now = monotonic();
    if (keeps?.(value) === false) this.entries.delete(key);
    else this.put(key, { value, readAt: now, freshUntil: now + freshMs });
    return value;
  }

  private serveStale(key: Key, error: unknown): Value {
    const { monotonic, freshMs, staleMaxMs = 0, onFailure } = this.options;
    const failure = onFailure === undefined ? error : onFailure(error);
    const known = this.entries.get(key);
    const now = monotonic();
    const goodUntil = known === undefined ? Number.NEGATIVE_INFINITY : known.readAt + staleMaxMs;
    if (known === undefined || staleMaxMs === 0 || now > goodUntil) throw failure;
    this.put(key, { ...known, freshUntil: Math.min(now + freshMs, goodUntil) });
    return known.value;
  }

  /** Adds an entry at the end and evicts the first when full; each read moves its key to the end. */
  private put(key: Key, entry: Entry<Value>): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
    if (this.entries.size <= (this.options.capacity ?? 10_000)) return;
    const oldest = this.entries.keys().next();
    if (oldest.done !== true) this.entries.delete(oldest.value);
  }
}
