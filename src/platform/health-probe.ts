import { setTimeout as wait } from 'node:timers/promises';

/** A health check waits this long for a part. A part that stays silent for five seconds counts as down. */
const waitMs = 300;
const silentMs = 5000;

/**
 * Whether a part such as the store responds. Returns quickly, as a load balancer with a second of patience must not wait behind slow
 * queries. One check runs at a time.
 */
export class HealthProbe {
  private readonly ask: () => Promise<boolean>;
  private readonly monotonic: () => number;
  /** The last result. A part that was down stays down until a check succeeds, however long that takes. */
  private last = true;
  private asked: { readonly at: number; readonly answer: Promise<boolean> } | undefined;

  /** @param ask runs the check; may reject. @param monotonic milliseconds. */
  constructor(ask: () => Promise<boolean>, monotonic: () => number) {
    this.ask = ask;
    this.monotonic = monotonic;
  }

  /** False when the part reports a failure, has not recovered from one, or has been silent for five seconds. */
  async answers(): Promise<boolean> {
    this.asked ??= { at: this.monotonic(), answer: this.question() };
    const { at, answer } = this.asked;
    return Promise.race([answer, wait(waitMs, undefined, { ref: false }).then(() => this.last && this.monotonic() - at < silentMs)]);
  }

  private async question(): Promise<boolean> {
    try {
      this.last = await this.ask();
    } catch {
      this.last = false;
    }
    this.asked = undefined;
    return this.last;
  }
}
