import { setImmediate as nextTurn } from 'node:timers/promises';
import { LoopTurns } from './loop-turns.ts';

/** About as long as a slice may hold up the calls and reads of others, milliseconds. */
const sliceMs = 5;

/**
 * TRICKY: the event loop runs whatever waits for its next turn in that one turn. Ten answers in slices of 5 ms would make turns of 50 ms, and a
 * small read of another organisation needs several turns. So one slice of all owned work has its turn at a time.
 */
const turns = new LoopTurns(1);

/**
 * Work on the event loop that gives way to everybody else: `turn` returns at once while the slice lasts, and otherwise after all that waits
 * has had its turn. Call it between small steps.
 */
export class Slices {
  private readonly owner: string | undefined;
  private readonly maxMs: number;
  private startedAt = performance.now();

  /** @param owner whose work it is: owners take turns. Our own work has none, and waits for nobody's. */
  constructor(owner?: string, maxMs: number = sliceMs) {
    this.owner = owner;
    this.maxMs = maxMs;
  }

  isOver(): boolean {
    return performance.now() - this.startedAt >= this.maxMs;
  }

  async turn(): Promise<void> {
    if (!this.isOver()) return;
    await (this.owner === undefined ? nextTurn() : turns.later(this.owner));
    this.startedAt = performance.now();
  }
}
