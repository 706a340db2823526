import { setImmediate as nextTurn } from 'node:timers/promises';

/** About as long as a slice may hold up the calls and reads of others, milliseconds. */
const sliceMs = 5;

/**
 * Work on the event loop that gives way to everybody else: `turn` returns at once while the slice lasts, and otherwise after all that waits
 * has had its turn. Call it between small steps.
 */
export class Slices {
  private readonly maxMs: number;
  private startedAt = performance.now();

  constructor(maxMs: number = sliceMs) {
    this.maxMs = maxMs;
  }

  async turn(): Promise<void> {
    if (performance.now() - this.startedAt < this.maxMs) return;
    await nextTurn();
    this.startedAt = performance.now();
  }
}
