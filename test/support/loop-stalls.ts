import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 5;

/** Measures how long the event loop of this process stalls. */
export class LoopStalls {
  private readonly delays: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs });

  constructor() {
    this.delays.enable();
  }

  /** The longest stall since the last call, milliseconds. */
  maxMs(): number {
    const maxMs = Math.max(0, this.delays.max / 1e6 - resolutionMs);
    this.delays.reset();
    return maxMs;
  }
}
