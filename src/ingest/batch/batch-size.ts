import type { Batch } from './batch.ts';
import { InterpreterCrashed, InterpreterStopped } from '../worker/interpreter.ts';
import type { TrackedExchange } from '../series/exchange.ts';
import { BatchTooLarge } from './insert.ts';

/** True when a batch was more than the store or the interpreter could take; none of it is stored. */
export function exceedsQuota(error: unknown): error is TooMuch {
  return error instanceof BatchTooLarge || error instanceof InterpreterCrashed || error instanceof InterpreterStopped;
}

type TooMuch = BatchTooLarge | InterpreterCrashed | InterpreterStopped;

/** How many exchanges the next batch may have: half as many after one that was too much, or as many as the interpreter came through, twice as many after each that was not. */
export class BatchSizer {
  private readonly most: number;
  private rows: number;
  /** The exchange with which alone the interpreter died last. */
  private diedOf: TrackedExchange | undefined;

  constructor(most: number) {
    this.most = most;
    this.rows = most;
  }

  maxRows(): number {
    return this.rows;
  }

  grow(): void {
    this.rows = Math.min(this.most, this.rows * 2);
  }

  /**
   * Narrows the next batch after one that was too much. A machine that stood still for long loses the interpreter too, whatever that was at: so it has
   * to die of one exchange twice.
   * @returns true when there is nothing to narrow: the batch's one exchange is at fault.
   */
  shrink({ exchanges }: Batch, error: TooMuch): boolean {
    if (error instanceof InterpreterStopped) {
      this.rows = error.through;
      return false;
    }
    if (exchanges.length > 1) {
      this.rows = Math.ceil(Math.min(this.rows, exchanges.length) / 2);
      return false;
    }
    const [only] = exchanges;
    const isFirstDeath = error instanceof InterpreterCrashed && this.diedOf !== only;
    this.diedOf = only;
    return !isFirstDeath;
  }
}
