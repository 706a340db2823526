/** What a map may remember of callers. */
export interface ByteBounds<Value = unknown> {
  /** Bytes of all owners together. */
  readonly maxBytes: number;
  /** Bytes of one owner; beyond it the owner's own oldest entries go, never another's. */
  readonly maxBytesOfOwner: number;
  /** Told of each value that goes because of the bounds. */
  readonly onForget?: (value: Value) => void;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

interface OwnerEntries<Value> {
  /** The newest is last. */
  readonly entries: Map<string, Entry<Value>>;
  bytes: number;
}

/**
 * Remembers values that callers sent, within bounds of bytes. An entry that was set last goes last. When all owners together have too much,
 * the owner with the most gives up its oldest, so that one who sends much makes nobody else forget.
 */
export class ByteBoundedMap<Value> {
  private readonly bounds: ByteBounds<Value>;
  private readonly owners = new Map<string, OwnerEntries<Value>>();
  private total = 0;

  constructor(bounds: ByteBounds<Value>) {
    this.bounds = bounds;
  }

  /** Bytes of all entries, as their callers stated them. */
  get bytes(): number {
    return this.total;
  }

  get(owner: string, key: string): Value | undefined {
    return this.owners.get(owner)?.entries.get(key)?.value;
  }

  /** The entry of an owner that was set first. */
  oldest(owner: string): Value | undefined {
    const [first] = this.owners.get(owner)?.entries.values() ?? [];
    return first?.value;
  }

  /**
   * Replaces an entry of the key, and makes it the newest.
   * @param bytes that the value holds in memory, its key included.
   * @returns false when it is larger than all that its owner may have, and is not kept.
   */
  set(owner: string, key: string, value: Value, bytes: number): boolean {
    this.delete(owner, key);
    if (bytes > Math.min(this.bounds.maxBytesOfOwner, this.bounds.maxBytes)) {
      this.bounds.onForget?.(value);
      return false;
    }
    const own = this.owners.get(owner) ?? this.addOwner(owner);
    own.entries.set(key, { value, bytes });
    own.bytes += bytes;
    this.total += bytes;
    while (own.bytes > this.bounds.maxBytesOfOwner) this.dropOldest(owner, own);
    while (this.total > this.bounds.maxBytes) this.dropOldest(...this.largest());
    return true;
  }

  /** States that a value holds fewer bytes than before; it stays as old as it was. */
  shrink(owner: string, key: string, bytes: number): void {
    const own = this.owners.get(owner);
    const entry = own?.entries.get(key);
    if (own === undefined || entry === undefined || bytes >= entry.bytes) return;
    own.entries.set(key, { ...entry, bytes });
    own.bytes -= entry.bytes - bytes;
    this.total -= entry.bytes - bytes;
  }

  delete(owner: string, key: string): boolean {
    const own = this.owners.get(owner);
    const entry = own?.entries.get(key);
    if (own === undefined || entry === undefined) return false;
    own.entries.delete(key);
    own.bytes -= entry.bytes;
    this.total -= entry.bytes;
    if (own.entries.size === 0) this.owners.delete(owner);
    return true;
  }

  private addOwner(owner: string): OwnerEntries<Value> {
    const added: OwnerEntries<Value> = { entries: new Map(), bytes: 0 };
    this.owners.set(owner, added);
    return added;
  }

  private dropOldest(owner: string, { entries }: OwnerEntries<Value>): void {
    const [oldest] = entries;
    if (oldest === undefined) return;
    this.delete(owner, oldest[0]);
    this.bounds.onForget?.(oldest[1].value);
  }

  private largest(): [string, OwnerEntries<Value>] {
    const [first, ...others] = this.owners;
    if (first === undefined) throw new Error('a map without owners holds no bytes');
    return others.reduce((most, each) => (each[1].bytes > most[1].bytes ? each : most), first);
  }
}
