/** Work between two chances to give way, units. */
const sliceUnits = 64 * 1024;

/** Work in steps: whoever runs it may give way to others at each `yield`. */
export type Steps<Result> = Generator<undefined, Result>;

/** A filter looked at more of a record than it may. */
export class TooMuchWork extends Error {
  constructor(maxUnits: number) {
    super(`the filter looked at more than ${maxUnits.toLocaleString('en')} characters of the record`);
  }
}

/**
 * Counts what a filter does to decide about a record, so that a bound is the same on a busy machine and on an idle one. A unit is about a
 * nanosecond: the engine's own search looks at one character in it, our code at a part of one.
 */
export class Work {
  private readonly maxUnits: number;
  private units = 0;
  private sliceEndsAt = sliceUnits;

  constructor(maxUnits = Infinity) {
    this.maxUnits = maxUnits;
  }

  get spent(): number {
    return this.units;
  }

  /** @returns whether it is time to give way. @throws TooMuchWork beyond the bound. */
  spend(units: number): boolean {
    this.units += units;
    if (this.units > this.maxUnits) throw new TooMuchWork(this.maxUnits);
    if (this.units < this.sliceEndsAt) return false;
    this.sliceEndsAt = this.units + sliceUnits;
    return true;
  }
}

/** Runs steps to their end without giving way. */
export function finished<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
