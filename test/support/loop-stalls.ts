import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 5;

/** How long the event loop of this process stands still. */
export class LoopStalls {
  private readonly delays: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs });

  constructor() {
    this.delays.enable();
  }

  /** The longest since the last time that it was asked for, milliseconds. */
  maxMs(): number {
    const maxMs = Math.max(0, this.delays.max / 1e6 - resolutionMs);
    this.delays.reset();
    return maxMs;
  }
}
