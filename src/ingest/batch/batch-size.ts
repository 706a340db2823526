import type { Batch, BatchLimits } from './batch.ts';
import { RecordBuilderCrashed } from '../worker/record-builder.ts';
import type { TrackedExchange } from '../series/exchange.ts';
import { BatchTooLarge } from './insert.ts';

/** Whether a batch was more than the store or the interpreter could take; none of it is stored then. */
export function isOversized(error: unknown): error is TooLarge {
  return error instanceof BatchTooLarge || error instanceof RecordBuilderCrashed;
}

type TooLarge = BatchTooLarge | RecordBuilderCrashed;

/** Limits of the next batch: half as many exchanges after one that was too large, and twice as many after each stored one. */
export class BatchSizer {
  private readonly max: BatchLimits;
  private rows: number;
  /** The exchange that crashed the interpreter on its own. */
  private crashedOn: TrackedExchange | undefined;

  constructor(max: BatchLimits) {
    this.max = max;
    this.rows = max.maxRows;
  }

  limits(): BatchLimits {
    return { ...this.max, maxRows: this.rows };
  }

  grow(): void {
    this.rows = Math.min(this.max.maxRows, this.rows * 2);
  }

  /**
   * Shrinks the next batch after one that was too large. As in `bisect`, one exchange is at fault only after its second crash.
   * @returns true when the batch's one exchange is at fault.
   */
  shrink({ exchanges }: Batch, error: TooLarge): boolean {
    if (exchanges.length > 1) {
      this.rows = Math.ceil(Math.min(this.rows, exchanges.length) / 2);
      return false;
    }
    const [only] = exchanges;
    const isFirstCrash = error instanceof RecordBuilderCrashed && this.crashedOn !== only;
    this.crashedOn = only;
    return !isFirstCrash;
  }
}
