import { setTimeout as wait } from 'node:timers/promises';
import { GatelogError } from '../../model/errors.ts';

/** A change waits this long while writes are held. */
const defaultWaitMs = 10_000;
/** So long writes may run on once others are held. */
const maxLastMs = 10_000;

interface Hold {
  readonly released: Promise<void>;
}

/** Writes that are held. */
export interface HeldWrites {
  /** Lets them pass again. */
  readonly release: () => void;
  /** Refuses them for good, those that wait too. @param where the records are from now on, in words. */
  readonly close: (where: string) => void;
  /** Takes that back. */
  readonly reopen: () => void;
}

/** Lets writes of the store pass, holds them while its records move to another store, and refuses them afterwards. */
export class WriteGate {
  private readonly waitMs: number;
  private held: Hold | undefined;
  private closedFor: string | undefined;
  private running = 0;
  private onIdle: () => void = () => undefined;

  constructor(waitMs = defaultWaitMs) {
    this.waitMs = waitMs;
  }

  /** Where the records are, in words, once writes are refused. */
  get closedTo(): string | undefined {
    return this.closedFor;
  }

  /** @throws GatelogError `store_unavailable` where writes are held for longer than a caller waits, or refused; `work` has not run then. */
  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.held !== undefined && this.closedFor === undefined) await this.whenReleased(this.held);
    if (this.closedFor !== undefined) throw moved(this.closedFor);
    this.running += 1;
    try {
      return await work();
    } finally {
      this.running -= 1;
      if (this.running === 0) this.onIdle();
    }
  }

  /**
   * Waits for writes that run, while others begin; then holds further ones, and waits for the last that run. @throws when some do not end in
   * time.
   */
  async hold(maxMs: number): Promise<HeldWrites> {
    if (!(await this.isIdleWithin(maxMs))) throw stillRunning(maxMs);
    if (this.held !== undefined) throw new Error('writes are held already');
    let open: (() => void) | undefined;
    const released = new Promise<void>((resolve) => {
      open = resolve;
    });
    const release = (): void => {
      this.held = undefined;
      open?.();
    };
    this.held = { released };
    const close = (where: string): void => {
      this.closedFor = where;
      release();
    };
    const reopen = (): void => {
      this.closedFor = undefined;
    };
    const lastMs = Math.min(maxMs, maxLastMs);
    if (await this.isIdleWithin(lastMs)) return { release, close, reopen };
    release();
    throw stillRunning(lastMs);
  }

  private async isIdleWithin(maxMs: number): Promise<boolean> {
    if (this.running === 0) return true;
    const idle = new Promise<true>((resolve) => {
      this.onIdle = () => resolve(true);
    });
    return Promise.race([idle, wait(maxMs, false, { ref: false })]);
  }

  private async whenReleased({ released }: Hold): Promise<void> {
    const isReleased = await Promise.race([released.then(() => true), wait(this.waitMs, false, { ref: false })]);
    if (isReleased) return;
    throw new GatelogError('store_unavailable', 'The records are moving to another store. Try again in a moment.');
  }
}

function stillRunning(ms: number): Error {
  return new Error(`changes of stored records did not end within ${ms} ms`);
}

function moved(where: string): GatelogError {
  return new GatelogError('store_unavailable', `The records have moved to ${where}. Gatelog is to be started with that store.`);
}
