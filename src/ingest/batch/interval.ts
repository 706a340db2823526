/** Of what passes between the beginnings of two batches, at most this share is spent on storing. */
const storingShare = 1 / 4;
/** So a record is visible within a second, with the standard interval. */
const maxIntervals = 2;

/**
 * How long records wait for a batch that they do not fill. A batch costs much the same however few it has, so a store that is slow, or has
 * large bodies to take, gets fewer and larger ones.
 */
export class BatchInterval {
  private readonly intervalMs: number;
  private storingMs = 0;

  constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
  }

  /** @param ms from the beginning of a batch to its end. */
  took(ms: number): void {
    this.storingMs = ms;
  }

  /** Milliseconds from the beginning of one batch to that of the next. */
  ms(): number {
    return Math.min(maxIntervals * this.intervalMs, Math.max(this.intervalMs, this.storingMs / storingShare));
  }
}
