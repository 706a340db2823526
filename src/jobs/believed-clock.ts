import type { Observe } from '../model/observation.ts';
import type { Clock } from '../platform/clock.ts';

export interface BelievedClockPorts {
  readonly clock: Clock;
  /** The latest trusted time, also of an earlier process, Unix milliseconds; undefined without one. */
  readonly readBelieved: () => Promise<number | undefined>;
  /** Stores it durably. */
  readonly keepBelieved: (at: number) => Promise<void>;
  readonly observe: Observe;
}

/** Maximum difference of two readings beyond the time between them, milliseconds. */
const maxDifferenceMs = 86_400_000;
/** A suspect clock that stays consistent for this long is trusted, milliseconds. */
const provingMs = 3_600_000;

/** One reading of both clocks. */
interface Look {
  readonly wall: number;
  readonly monotonic: number;
}

/**
 * # The clock, for what removes by age
 *
 * A machine may boot with its clock years ahead and learn the time a minute later. Until then everything is older than it may be, and what removes
 * by age would leave nothing. So it asks here for the time.
 *
 * The rule.
 *   believed    a clock that is at most a day from where it was when it was believed last, plus what has passed since. That moment is written down;
 *               over a restart nothing is known to have passed
 *   doubted     any other. It is believed when it is asked for again an hour later, or after that, and has gone on at most a day from where it was;
 *               one that was set anew meanwhile has to wait anew. A process that starts knows of no hour
 *   behind      a doubted clock that is behind is told all the same, as by it less is of age
 *   ahead       one that is ahead is not, and that is observed each time
 *
 * So a service that was off for more than a day begins to remove an hour late, and a clock that is set right again costs nothing.
 */
export class TrustedClock {
  private readonly ports: BelievedClockPorts;
  private trusted: Look | undefined;
  private suspect: Look | undefined;

  constructor(ports: BelievedClockPorts) {
    this.ports = ports;
  }

  /**
   * The time for removals. @returns Unix milliseconds; undefined while the clock is ahead and not trusted. @throws GatelogError when the
   * metadata fails.
   */
  async now(): Promise<number | undefined> {
    const { clock, readBelieved, keepBelieved, observe } = this.ports;
    const first = this.trusted ?? { wall: (await readBelieved()) ?? clock.now(), monotonic: clock.monotonic() };
    this.trusted ??= first;
    const look: Look = { wall: clock.now(), monotonic: clock.monotonic() };
    const aheadMs = look.wall - wallExpectedAt(look, this.trusted);
    if (Math.abs(aheadMs) <= maxDifferenceMs || this.isTrusted(look)) {
      this.trusted = look;
      this.suspect = undefined;
      await keepBelieved(look.wall);
      return look.wall;
    }
    if (aheadMs < 0) return look.wall;
    observe({ kind: 'removals_put_off', clock: new Date(look.wall).toISOString(), aheadMs: Math.round(aheadMs) });
    return undefined;
  }

  private isTrusted(look: Look): boolean {
    this.suspect ??= look;
    if (Math.abs(look.wall - wallExpectedAt(look, this.suspect)) > maxDifferenceMs) this.suspect = look;
    return look.monotonic - this.suspect.monotonic >= provingMs;
  }
}

/** The wall clock that an earlier reading predicts for a later one. */
function wallExpectedAt({ monotonic }: Look, earlier: Look): number {
  return earlier.wall + monotonic - earlier.monotonic;
}
