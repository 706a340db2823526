import { setTimeout as wait } from 'node:timers/promises';

/** How long a question about health waits for a part, and after how long a part that gives no answer does not work, milliseconds. */
const waitMs = 300;
const silentMs = 5000;

/**
 * Whether a part such as the store answers, told at once: whoever asks (a load balancer with a second of patience) does not wait behind slow queries.
 * One question is on its way at a time.
 */
export class AnswerWatch {
  private readonly ask: () => Promise<boolean>;
  private readonly monotonic: () => number;
  private asked: { readonly at: number; readonly answer: Promise<boolean> } | undefined;

  /** @param ask whether the part works; may reject. @param monotonic milliseconds. */
  constructor(ask: () => Promise<boolean>, monotonic: () => number) {
    this.ask = ask;
    this.monotonic = monotonic;
  }

  /** False when the part says no, or has said nothing for five seconds. */
  async answers(): Promise<boolean> {
    this.asked ??= { at: this.monotonic(), answer: this.question() };
    const { at, answer } = this.asked;
    return Promise.race([answer, wait(waitMs, undefined, { ref: false }).then(() => this.monotonic() - at < silentMs)]);
  }

  private async question(): Promise<boolean> {
    try {
      return await this.ask();
    } catch {
      return false;
    } finally {
      this.asked = undefined;
    }
  }
}
