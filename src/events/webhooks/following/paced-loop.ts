import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../../model/errors.ts';
import { makeBackoff } from '../../../platform/backoff.ts';

/** Between the starts of two steps. */
const minIntervalMs = 100;
const firstRetryMs = 100;
const maxRetryMs = 5000;

export interface PacedLoopOptions {
  /** @returns whether there is more to do at once. */
  readonly step: () => Promise<boolean>;
  /** Runs a step when its turn comes. */
  readonly inTurn: <Result>(step: () => Promise<Result>) => Promise<Result>;
  readonly failed: (reason: string) => void;
  /** Milliseconds. */
  readonly monotonic: () => number;
}

/**
 * Repeats a step while there is something to do. It rests for as long as it works, so that it takes at most half of a core; a step that
 * fails is repeated later.
 */
export class PacedLoop {
  private readonly options: PacedLoopOptions;
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;
  private isAsked = false;

  constructor(options: PacedLoopOptions) {
    this.options = options;
  }

  run(): void {
    this.isAsked = true;
    if (this.running !== undefined || this.closing.signal.aborted) return;
    this.running = this.work().finally(() => {
      this.running = undefined;
      if (this.isAsked) this.run();
    });
  }

  /** Ends behind the step that runs. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async work(): Promise<void> {
    const { failed } = this.options;
    const backoff = makeBackoff(firstRetryMs, maxRetryMs);
    while (this.isAsked && !this.closing.signal.aborted) {
      this.isAsked = false;
      try {
        await this.rest(await this.options.inTurn(() => this.stepMs()));
        backoff.reset();
      } catch (error) {
        if (this.closing.signal.aborted) return;
        failed(messageOf(error));
        this.isAsked = true;
        await this.pause(backoff.nextDelayMs());
      }
    }
  }

  private async stepMs(): Promise<number> {
    const { step, monotonic } = this.options;
    const startedAt = monotonic();
    if (await step()) this.isAsked = true;
    return monotonic() - startedAt;
  }

  private async rest(workedMs: number): Promise<void> {
    await this.pause(Math.max(minIntervalMs - workedMs, workedMs));
  }

  private async pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.closing.signal }).catch(() => undefined);
  }
}
