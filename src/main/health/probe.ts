import { setTimeout as wait } from 'node:timers/promises';

/** How long a question about health waits for a part, and after how long a part that gives no answer does not work, milliseconds. */
const waitMs = 300;
const silentMs = 5000;

/**
 * Whether a part such as the store answers, told at once: whoever asks (a load balancer with a second of patience) does not wait behind slow queries.
 * One question is on its way at a time.
 */
export class HealthProbe {
  private readonly ask: () => Promise<boolean>;
  private readonly monotonic: () => number;
  /** What the last question came to. A part that was away is away until it says otherwise, however long the next answer takes. */
  private last = true;
  private asked: { readonly at: number; readonly answer: Promise<boolean> } | undefined;

  /** @param ask whether the part works; may reject. @param monotonic milliseconds. */
  constructor(ask: () => Promise<boolean>, monotonic: () => number) {
    this.ask = ask;
    this.monotonic = monotonic;
  }

  /** False when the part says no, or said no and has not answered again, or has said nothing for five seconds. */
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
