import { setImmediate as nextTick, setTimeout as wait } from 'node:timers/promises';
import type { Observe } from '../model/observation.ts';
import { makeBackoff } from '../platform/backoff.ts';
import type { Clock } from '../platform/clock.ts';
import { failureText } from '../store/engine/failure.ts';

const idleMs = 20;
/** Each look takes processor time, also on a machine where nobody calls for hours. */
const quietMs = 100;
/** Shorter failures are retries, not a state. */
const failingMs = 2000;
/** A longer batch counts as stuck. */
const stuckMs = 60_000;

export interface DrainLoopOptions {
  /** One round. @returns whether there is more to do right away. */
  readonly step: () => Promise<boolean>;
  /** Whether a batch has begun that is neither stored nor back in the spool. */
  readonly isMidBatch: () => boolean;
  /** Whether nothing has come for a while, so that it looks less often. */
  readonly isQuiet: () => boolean;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** Repeats the drain's step until stopped: idles, backs off after failures, halts during a pause, and tracks whether batches succeed. */
export class DrainLoop {
  private readonly options: DrainLoopOptions;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private pause: Pause | undefined;
  private failingSince: number | undefined;
  private batchSince: number | undefined;
  /** Ends the loop's wait. */
  private wake: () => void = () => undefined;
  /** Set once the loop ends as soon as the spool is empty. */
  isFinishing = false;

  constructor(options: DrainLoopOptions) {
    this.options = options;
  }

  /** Aborted when the drain must stop. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  readonly observe: Observe = (observation) => {
    if (observation.kind === 'batch_failed') this.failingSince ??= this.options.clock.monotonic();
    this.options.observe(observation);
  };

  start(): void {
    this.running ??= this.run();
  }

  /** Ends once the spool is empty, or after `maxMs`. */
  async stop(maxMs: number): Promise<void> {
    this.isFinishing = true;
    this.wake();
    const aborted = new Promise((resolve) => {
      this.signal.addEventListener('abort', resolve, { once: true });
    });
    const timer = setTimeout(() => this.stopping.abort(new Error('the drain is stopping')), maxMs);
    await Promise.race([this.running, aborted]);
    clearTimeout(timer);
    // An insert may still be running. Its end must not touch the checkpoint: another process may own the spool by then.
    this.stopping.abort(new Error('the drain has stopped'));
    this.wake();
  }

  async whilePaused<Result>(work: () => Promise<Result>, maxMs: number): Promise<Result> {
    if (this.pause !== undefined) throw new Error('the ingest is paused already');
    const pause = new Pause();
    this.pause = pause;
    this.wake();
    try {
      await pause.whenHalted(maxMs);
      return await work();
    } finally {
      this.pause = undefined;
      pause.end();
    }
  }

  batchStarts(startedAt: number): void {
    this.batchSince = startedAt;
  }

  batchEnds(): void {
    this.batchSince = undefined;
  }

  /** False when batches have failed for a while and none has been stored since, and when one does not end. */
  isDraining(): boolean {
    const now = this.options.clock.monotonic();
    const fails = this.failingSince !== undefined && now - this.failingSince >= failingMs;
    return !fails && !(this.batchSince !== undefined && now - this.batchSince >= stuckMs);
  }

  private async run(): Promise<void> {
    const { signal } = this;
    const backoff = makeBackoff(100, 5000);
    while (!signal.aborted) {
      // A step that began before `stop` may have left exchanges that were not due yet.
      const { isFinishing } = this;
      if (this.pause !== undefined && !this.options.isMidBatch()) {
        await this.pause.halt(signal);
        continue;
      }
      try {
        const more = await this.options.step();
        backoff.reset();
        this.failingSince = undefined;
        if (!more && isFinishing) return;
        await (more ? nextTick() : this.idle(this.options.isQuiet() ? quietMs : idleMs));
      } catch (error) {
        if (signal.aborted) return;
        const retryInMs = backoff.nextDelayMs();
        this.observe({ kind: 'batch_failed', reason: failureText(error), retryInMs });
        await wait(retryInMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async idle(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }
}

/** Halts the loop while other work runs. */
class Pause {
  private readonly halted = makeGate();
  private readonly ended = makeGate();

  /** Resolves when the pause ends or the loop must stop. */
  async halt(stopped: AbortSignal): Promise<void> {
    this.halted.open();
    stopped.addEventListener('abort', this.ended.open, { once: true });
    await this.ended.passed;
    stopped.removeEventListener('abort', this.ended.open);
  }

  /** Resolves once the loop has halted. @throws after `maxMs`. */
  async whenHalted(maxMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`the ingest did not come to the end of a batch within ${maxMs} ms`)), maxMs);
    });
    try {
      await Promise.race([this.halted.passed, expired]);
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.ended.open();
  }
}

interface Gate {
  readonly open: () => void;
  readonly passed: Promise<void>;
}

function makeGate(): Gate {
  let open: (() => void) | undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open?.(), passed };
}
