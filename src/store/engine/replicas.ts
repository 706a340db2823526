/** The replicas of a store, by their place in the setting. */
export interface ReplicaPorts {
  readonly count: number;
  /** @returns whether a replica answers. */
  readonly ping: (replica: number) => Promise<boolean>;
  /** Waits until a replica has what the others have. @throws when it does not within its time. */
  readonly catchUp: (replica: number) => Promise<void>;
}

const probeMs = 1000;

/**
 * Which replica does the work: all of it, so that a read sees what was written before it, and a change the rows that it changes. It stays
 * until it cannot be reached; the next one has to catch up before it is used, because a replica may be behind by what was just answered.
 */
export class Replicas {
  private readonly ports: ReplicaPorts;
  private readonly away = new Set<number>();
  private isClosed = false;
  private used = 0;
  /** Undefined until somebody asks. */
  private caughtUp: Promise<void> | undefined;

  constructor(ports: ReplicaPorts) {
    this.ports = ports;
  }

  /** The replica that was used last. */
  get current(): number {
    return this.used;
  }

  /** @returns the replica to use, which has caught up. @throws as `catchUp`. */
  async ready(): Promise<number> {
    if (this.ports.count === 1) return 0;
    const replica = this.used;
    this.caughtUp ??= this.ports.catchUp(replica);
    const mine = this.caughtUp;
    try {
      await mine;
    } catch (error) {
      // The next one tries again.
      if (this.caughtUp === mine) this.caughtUp = undefined;
      throw error;
    }
    return replica;
  }

  /** A replica could not be reached. @returns whether another one is used from now on. */
  leave(replica: number): boolean {
    if (this.ports.count === 1) return false;
    if (!this.away.has(replica)) this.probe(replica);
    if (replica !== this.used) return true;
    const others = Array.from({ length: this.ports.count }, (_none, index) => (replica + 1 + index) % this.ports.count);
    const next = others.find((one) => one !== replica && !this.away.has(one));
    if (next === undefined) return false;
    this.used = next;
    this.caughtUp = undefined;
    return true;
  }

  close(): void {
    this.isClosed = true;
  }

  /** Until it answers again, nothing goes there. */
  private probe(replica: number): void {
    this.away.add(replica);
    const look = async (): Promise<void> => {
      if (this.isClosed) return;
      if (await this.ports.ping(replica)) this.away.delete(replica);
      else this.probe(replica);
    };
    setTimeout(() => void look(), probeMs).unref();
  }
}
