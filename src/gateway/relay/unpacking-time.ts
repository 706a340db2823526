/** One unpacking that takes longer is dear, milliseconds. */
const cheapMs = 3;
/** After a dear one there is none for so many times as long: all of an organisation's together take a fiftieth of the event loop. */
const restTimes = 50;
const maxOwners = 1000;

/** May the beginning of a packed reply be unpacked on the event loop now? */
export interface UnpackingAllowance {
  readonly isGiven: () => boolean;
  /** Notes how long one has taken, milliseconds. */
  readonly took: (ms: number) => void;
}

/**
 * Time on the event loop for the beginnings of packed replies, by organisation. TRICKY: how long one takes cannot be known beforehand: a
 * brotli reply of 100 bytes may say that it has 16 MiB, all of which are unpacked before the first byte comes out (27 ms).
 */
export class UnpackingTime {
  private readonly monotonic: () => number;
  /** Until when there is none; the earliest entry first. */
  private readonly restsUntil = new Map<string, number>();

  /** @param monotonic milliseconds. */
  constructor(monotonic: () => number) {
    this.monotonic = monotonic;
  }

  of(owner: string): UnpackingAllowance {
    return {
      isGiven: () => this.monotonic() >= (this.restsUntil.get(owner) ?? Number.NEGATIVE_INFINITY),
      took: (ms) => {
        if (ms <= cheapMs) return;
        this.restsUntil.delete(owner);
        this.restsUntil.set(owner, this.monotonic() + ms * restTimes);
        for (const oldest of this.restsUntil.keys()) {
          if (this.restsUntil.size <= maxOwners) break;
          this.restsUntil.delete(oldest);
        }
      },
    };
  }
}
