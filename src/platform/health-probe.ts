import { setTimeout as wait } from 'node:timers/promises';

/** A health check waits this long for a part. A part that stays silent for five seconds counts as down. */
const waitMs = 300;
const silentMs = 5000;

/**
 * Whether a part such as the store responds. Returns quickly, as a load balancer with a second of patience must not wait behind slow
 * queries. One check runs at a time.
 */
export class HealthProbe {
  private readonly check: () => Promise<boolean>;
  private readonly monotonic: () => number;
  /** The last result. A part that was down stays down until a check succeeds, however long that takes. */
  private last = true;
  private running: { readonly at: number; readonly result: Promise<boolean> } | undefined;

  /** @param check runs the check; may reject. @param monotonic milliseconds. */
  constructor(check: () => Promise<boolean>, monotonic: () => number) {
    this.check = check;
    this.monotonic = monotonic;
  }

  /** False when the part reports a failure, has not recovered from one, or has been silent for five seconds. */
  async responds(): Promise<boolean> {
    this.running ??= { at: this.monotonic(), result: this.runCheck() };
    const { at, result } = this.running;
    return Promise.race([result, wait(waitMs, undefined, { ref: false }).then(() => this.last && this.monotonic() - at < silentMs)]);
  }

  private async runCheck(): Promise<boolean> {
    try {
      this.last = await this.check();
    } catch {
      this.last = false;
    }
    this.running = undefined;
    return this.last;
  }
}
