/** Who asks for a share, and how long he waits for it. */
export interface Asker {
  /** Of one owner's the first goes first; owners take turns. */
  readonly owner: string;
  /** One that has left is not waited for. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; absent: until it comes. */
  readonly maxWaitMs?: number | undefined;
}

/** What there is to share out. */
export interface FairTurnsOptions {
  readonly units: number;
  /** Most units that one owner holds, whatever is free and however many it asks for. */
  readonly maxUnitsOfOwner: number;
  /** Of one owner's; more are refused, so that nobody's crowd is in the way of others. */
  readonly maxWaitingOfOwner: number;
  /** What is thrown when too many wait already, and when the wait was too long. */
  readonly refusal: (why: 'full' | 'late') => Error;
  /** Milliseconds for which others are kept waiting until enough is free for one that needs more than there is. */
  readonly maxBlockMs?: number;
}

const defaultMaxBlockMs = 1000;

/** Units that were given out; they go back once, however often that is said. */
export interface Permit {
  /** Whether it was not there at once. */
  readonly waited: boolean;
  /** Keeps so many of them and gives the rest back. */
  readonly keep: (units: number) => void;
  readonly release: () => void;
}

interface Waiter {
  readonly units: number;
  /** Whether others wait until enough is free for this one. */
  blocks: boolean;
  readonly start: (grant: Permit) => void;
}

/**
 * Units of something scarce, shared out fairly: who waits stands behind his own, and the owners take turns. What comes next is for a while not passed
 * over by something smaller, so that what needs much is not kept waiting by what needs little; and then it is, so that who holds units for long and who
 * needs many do not together keep everybody else waiting.
 */
export class FairTurns {
  private readonly options: FairTurnsOptions;
  private readonly held = new Map<string, number>();
  /** The owner whose turn is next stands first. */
  private readonly queues = new Map<string, Set<Waiter>>();
  private heldUnits = 0;
  private waitingCount = 0;

  constructor(options: FairTurnsOptions) {
    this.options = options;
  }

  get used(): number {
    return this.heldUnits;
  }

  get waiting(): number {
    return this.waitingCount;
  }

  /** @throws what `refusal` makes, or the reason of the signal. */
  async take(units: number, asker: Asker): Promise<Permit> {
    asker.signal?.throwIfAborted();
    const wanted = Math.min(units, this.options.maxUnitsOfOwner);
    if (this.waitsInLine(asker.owner) || !this.isFree(wanted) || !this.isWithinShare(wanted, asker.owner)) return this.wait(wanted, asker);
    return this.grant(wanted, asker.owner, false);
  }

  /** Whether one who comes now has somebody to wait for: of his own, or of others for whom nothing is free. */
  private waitsInLine(owner: string): boolean {
    if (this.queues.has(owner)) return true;
    for (const [other, [first]] of this.queues) {
      if (first !== undefined && this.isWithinShare(first.units, other) && first.blocks) return true;
    }
    return false;
  }

  private isFree(units: number): boolean {
    return this.heldUnits + units <= this.options.units;
  }

  private isWithinShare(units: number, owner: string): boolean {
    return (this.held.get(owner) ?? 0) + units <= this.options.maxUnitsOfOwner;
  }

  private grant(units: number, owner: string, waited: boolean): Permit {
    this.hold(owner, units);
    let left = units;
    const keep = (kept: number): void => {
      if (kept >= left) return;
      this.hold(owner, kept - left);
      left = kept;
      this.handOn();
    };
    return { waited, keep, release: () => keep(0) };
  }

  private hold(owner: string, units: number): void {
    const held = (this.held.get(owner) ?? 0) + units;
    this.heldUnits += units;
    if (held > 0) this.held.set(owner, held);
    else this.held.delete(owner);
  }

  private wait(units: number, { owner, signal, maxWaitMs }: Asker): Promise<Permit> {
    if ((this.queues.get(owner)?.size ?? 0) >= this.options.maxWaitingOfOwner) throw this.options.refusal('full');
    if (maxWaitMs !== undefined && maxWaitMs <= 0) throw this.options.refusal('late');
    return new Promise((resolve, reject) => {
      const leave = (reason: Error): void => {
        end();
        this.remove(owner, waiter);
        reject(reason);
        // Behind one that has left there may be somebody for whom enough is free.
        this.handOn();
      };
      const left = (): void => leave(signal?.reason instanceof Error ? signal.reason : new Error('Nobody waits for it any more.'));
      const timer = maxWaitMs === undefined ? undefined : setTimeout(() => leave(this.options.refusal('late')), maxWaitMs);
      const blockMs = this.options.maxBlockMs ?? defaultMaxBlockMs;
      const unblock = setTimeout(() => {
        waiter.blocks = false;
        this.handOn();
      }, blockMs);
      const end = (): void => {
        clearTimeout(timer);
        clearTimeout(unblock);
        signal?.removeEventListener('abort', left);
      };
      const start = (grant: Permit): void => {
        end();
        resolve(grant);
      };
      const waiter: Waiter = { units, blocks: true, start };
      signal?.addEventListener('abort', left);
      this.queues.set(owner, (this.queues.get(owner) ?? new Set()).add(waiter));
      this.waitingCount += 1;
    });
  }

  private remove(owner: string, waiter: Waiter): void {
    const queue = this.queues.get(owner);
    if (queue?.delete(waiter) !== true) return;
    this.waitingCount -= 1;
    if (queue.size === 0) this.queues.delete(owner);
  }

  private handOn(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) next();
  }

  /** Whoever's turn it is and whose share allows it; nobody while too little is free for one that blocks the others. */
  private next(): (() => void) | undefined {
    for (const [owner, queue] of this.queues) {
      const [first] = queue;
      if (first === undefined || !this.isWithinShare(first.units, owner)) continue;
      if (!this.isFree(first.units)) {
        if (first.blocks) return undefined;
        continue;
      }
      return () => {
        this.remove(owner, first);
        // The others come before this owner's next.
        const rest = this.queues.get(owner);
        if (rest !== undefined && this.queues.delete(owner)) this.queues.set(owner, rest);
        first.start(this.grant(first.units, owner, true));
      };
    }
    return undefined;
  }
}
