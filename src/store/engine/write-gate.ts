import { setTimeout as wait } from 'node:timers/promises';
import { GatelogError } from '../../model/errors.ts';

/** A change waits this long while writes are held. */
const defaultWaitMs = 10_000;

interface Hold {
  readonly released: Promise<void>;
  readonly release: () => void;
}

/** Lets writes of the store pass, or holds them while its records move to another store. */
export class WriteGate {
  private readonly waitMs: number;
  private held: Hold | undefined;
  private running = 0;
  private onIdle: () => void = () => undefined;

  constructor(waitMs = defaultWaitMs) {
    this.waitMs = waitMs;
  }

  /** @throws GatelogError `store_unavailable` where writes are held for longer than a caller waits; `work` has not run then. */
  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.held !== undefined) await this.whenReleased(this.held);
    this.running += 1;
    try {
      return await work();
    } finally {
      this.running -= 1;
      if (this.running === 0) this.onIdle();
    }
  }

  /** Holds further writes, and waits for those that run. @returns what lets them pass again. @throws when some do not end in time. */
  async hold(maxMs: number): Promise<() => void> {
    if (this.held !== undefined) throw new Error('writes are held already');
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = () => {
        this.held = undefined;
        resolve();
      };
    });
    this.held = { released, release };
    if (this.running === 0) return release;
    const idle = new Promise<true>((resolve) => {
      this.onIdle = () => resolve(true);
    });
    const isIdle = await Promise.race([idle, wait(maxMs, false, { ref: false })]);
    if (isIdle) return release;
    release();
    throw new Error(`changes of stored records did not end within ${maxMs} ms`);
  }

  private async whenReleased({ released }: Hold): Promise<void> {
    const isReleased = await Promise.race([released.then(() => true), wait(this.waitMs, false, { ref: false })]);
    if (isReleased) return;
    throw new GatelogError('store_unavailable', 'The records are moving to another store. Try again in a moment.');
  }
}
