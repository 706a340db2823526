export interface PermitRequest {
  /** An owner's requests are served in order; owners take turns. */
  readonly owner: string;
  /** Leaves the queue when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; absent: no limit. */
  readonly maxWaitMs?: number | undefined;
}

export interface FairSemaphoreOptions {
  readonly units: number;
  /** Max units held by one owner, even when more are free or requested. */
  readonly maxUnitsOfOwner: number;
  /** Per owner; further requests are refused, so that one owner's queue does not delay the others. */
  readonly maxWaitingOfOwner: number;
  /** Makes the error for a full queue or an expired wait. */
  readonly refusal: (why: 'full' | 'late') => Error;
  /** How long smaller requests may be held back for a request that does not fit yet, milliseconds. */
  readonly maxBlockMs?: number;
}

const defaultMaxBlockMs = 1000;

/** Granted units; releasing them twice has no effect. */
export interface Permit {
  /** Whether the request had to wait. */
  readonly waited: boolean;
  /** Keeps at most `units` and releases the rest. */
  readonly keep: (units: number) => void;
  readonly release: () => void;
}

interface Waiter {
  readonly units: number;
  /** Holds back the requests behind it until it fits. */
  blocks: boolean;
  readonly start: (permit: Permit) => void;
}

/**
 * Shares a scarce resource fairly: first come, first served per owner, and owners take turns. For `maxBlockMs` no smaller request may
 * overtake the next one, so that large requests are not starved. After that it may, so that an owner who holds units for long and one who
 * requests many do not block all others.
 */
export class FairSemaphore {
  private readonly options: FairSemaphoreOptions;
  private readonly held = new Map<string, number>();
  /** In the order of turns. */
  private readonly queues = new Map<string, Set<Waiter>>();
  private heldUnits = 0;
  private waitingCount = 0;

  constructor(options: FairSemaphoreOptions) {
    this.options = options;
  }

  get used(): number {
    return this.heldUnits;
  }

  get waiting(): number {
    return this.waitingCount;
  }

  /** @throws the error of `refusal`, or the abort reason of the signal. */
  async acquire(units: number, request: PermitRequest): Promise<Permit> {
    request.signal?.throwIfAborted();
    const wanted = Math.min(units, this.options.maxUnitsOfOwner);
    if (this.mustQueue(request.owner) || !this.isFree(wanted) || !this.isWithinShare(wanted, request.owner)) {
      return this.wait(wanted, request);
    }
    return this.makePermit(wanted, request.owner, false);
  }

  /** Whether a new request must queue: behind its own owner's, or behind another's that blocks. */
  private mustQueue(owner: string): boolean {
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

  private makePermit(units: number, owner: string, waited: boolean): Permit {
    this.hold(owner, units);
    let left = units;
    const keep = (max: number): void => {
      if (max >= left) return;
      this.hold(owner, max - left);
      left = max;
      this.dispatch();
    };
    return { waited, keep, release: () => keep(0) };
  }

  private hold(owner: string, units: number): void {
    const held = (this.held.get(owner) ?? 0) + units;
    this.heldUnits += units;
    if (held > 0) this.held.set(owner, held);
    else this.held.delete(owner);
  }

  private wait(units: number, { owner, signal, maxWaitMs }: PermitRequest): Promise<Permit> {
    if ((this.queues.get(owner)?.size ?? 0) >= this.options.maxWaitingOfOwner) throw this.options.refusal('full');
    if (maxWaitMs !== undefined && maxWaitMs <= 0) throw this.options.refusal('late');
    return new Promise((resolve, reject) => {
      const leave = (reason: Error): void => {
        end();
        this.remove(owner, waiter);
        reject(reason);
        // Requests behind this one may fit now.
        this.dispatch();
      };
      const left = (): void => leave(signal?.reason instanceof Error ? signal.reason : new Error('Nobody waits for it any more.'));
      const timer = maxWaitMs === undefined ? undefined : setTimeout(() => leave(this.options.refusal('late')), maxWaitMs);
      const blockMs = this.options.maxBlockMs ?? defaultMaxBlockMs;
      const unblock = setTimeout(() => {
        waiter.blocks = false;
        this.dispatch();
      }, blockMs);
      const end = (): void => {
        clearTimeout(timer);
        clearTimeout(unblock);
        signal?.removeEventListener('abort', left);
      };
      const start = (permit: Permit): void => {
        end();
        resolve(permit);
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

  private dispatch(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) next();
  }

  /** The first request in turn order that fits; undefined while a blocking one does not. */
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
        // The owner goes to the end of the turn order.
        const rest = this.queues.get(owner);
        if (rest !== undefined && this.queues.delete(owner)) this.queues.set(owner, rest);
        first.start(this.makePermit(first.units, owner, true));
      };
    }
    return undefined;
  }
}
