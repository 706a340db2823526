export interface StaleCacheOptions<Key, Value, Read extends Value | Promise<Value>> {
  /** Reads a value. Throws, or rejects, when it cannot be read. */
  readonly read: (key: Key) => Read;
  /** Milliseconds of a clock that never steps back: a corrected system clock cannot prolong a revoked key. */
  readonly monotonic: () => number;
  /** How long a value is served without another read, in milliseconds. */
  readonly freshMs: number;
  /** How long after its last successful read a value is served while reads fail, in milliseconds. Default 0: not at all. */
  readonly staleMaxMs?: number;
  /** Learns of every failed read. @returns the error to throw when no value may be served; default: the error of the read. */
  readonly onFailure?: (error: unknown) => unknown;
  /** Which values are kept. Default: all. */
  readonly keeps?: (value: Value) => boolean;
  /** How many values are kept, those that were read last. */
  readonly capacity?: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly readAt: number;
  readonly freshUntil: number;
}

/**
 * Values that are read from metadata, kept for seconds and served stale while reads fail. `read` may be synchronous or return a promise; concurrent
 * reads of a key are one.
 */
export class StaleCache<Key, Value, Read extends Value | Promise<Value> = Value> {
  readonly #options: StaleCacheOptions<Key, Value, Read>;
  readonly #entries = new Map<Key, Entry<Value>>();
  readonly #reads = new Map<Key, Promise<Value>>();

  constructor(options: StaleCacheOptions<Key, Value, Read>) {
    this.#options = options;
  }

  /** The value of a key: at once when it is fresh or `read` is synchronous. Throws, or rejects, when it cannot be read and none may be served. */
  get(key: Key): Value | Read {
    const known = this.#entries.get(key);
    if (known !== undefined && this.#options.monotonic() < known.freshUntil) return known.value;
    const running = this.#reads.get(key);
    // The cast holds: only a `read` that returns promises puts any there.
    if (running !== undefined) return running as Read;
    let found: Read;
    try {
      found = this.#options.read(key);
    } catch (error) {
      return this.#serveStale(key, error);
    }
    if (!(found instanceof Promise)) return this.#keep(key, found as Value);
    const reading: Promise<Value> = found.then(
      (value: Value) => (this.#isLatest(key, reading) ? this.#keep(key, value) : value),
      (error: unknown) => {
        this.#isLatest(key, reading);
        return this.#serveStale(key, error);
      },
    );
    this.#reads.set(key, reading);
    return reading as Read;
  }

  /** Keeps a value as if it had been read now. */
  set(key: Key, value: Value): void {
    this.#keep(key, value);
  }

  /** Makes a change of this process seen at once. A read that began before is not kept. */
  forget(key: Key): void {
    this.#entries.delete(key);
    this.#reads.delete(key);
  }

  /** Whether no `forget` came while the read was running. */
  #isLatest(key: Key, reading: Promise<Value>): boolean {
    return this.#reads.get(key) === reading && this.#reads.delete(key);
  }

  #keep(key: Key, value: Value): Value {
    const { monotonic, freshMs, keeps } = this.#options;
    const now = monotonic();
    if (keeps?.(value) === false) this.#entries.delete(key);
    else this.#put(key, { value, readAt: now, freshUntil: now + freshMs });
    return value;
  }

  #serveStale(key: Key, error: unknown): Value {
    const { monotonic, freshMs, staleMaxMs = 0, onFailure } = this.#options;
    const failure = onFailure === undefined ? error : onFailure(error);
    const known = this.#entries.get(key);
    const now = monotonic();
    const goodUntil = known === undefined ? Number.NEGATIVE_INFINITY : known.readAt + staleMaxMs;
    if (known === undefined || staleMaxMs === 0 || now > goodUntil) throw failure;
    this.#put(key, { ...known, freshUntil: Math.min(now + freshMs, goodUntil) });
    return known.value;
  }

  /** Puts an entry last and drops the first when there are too many: keys in use come back to the end at every read. */
  #put(key: Key, entry: Entry<Value>): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= (this.#options.capacity ?? 10_000)) return;
    const oldest = this.#entries.keys().next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }
}
