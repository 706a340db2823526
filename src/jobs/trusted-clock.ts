import type { Observe } from '../model/observation.ts';
import type { Clock } from '../platform/clock.ts';

export interface TrustedClockPorts {
  readonly clock: Clock;
  /** The latest trusted time, also of an earlier process, Unix milliseconds; undefined without one. */
  readonly readTrusted: () => Promise<number | undefined>;
  /** Stores it durably. */
  readonly storeTrusted: (at: number) => Promise<void>;
  readonly observe: Observe;
}

/** Maximum difference of two readings beyond the time between them, milliseconds. */
const maxDifferenceMs = 86_400_000;
/** A suspect clock that stays consistent for this long is trusted, milliseconds. */
const probationMs = 3_600_000;

interface Reading {
  readonly wall: number;
  readonly monotonic: number;
}

/**
 * # The clock for removals by age
 *
 * A machine may boot with its clock years ahead and learn the time a minute later. Until then every record seems expired, and removal by
 * age would delete everything. So removals ask this clock for the time.
 *
 * Rules.
 *   trusted     The clock differs by at most a day from its last trusted time plus the time since. The trusted time is stored. A new
 *               process assumes that no time has passed since.
 *   suspect     Any other reading. It becomes trusted when a call an hour later or after that finds that the clock has gone on
 *               consistently, within a day. A clock that was set again meanwhile waits again, and the hour begins again in each process.
 *   behind      A suspect clock that is behind is used anyway, as fewer records are expired by it.
 *   ahead       A suspect clock that is ahead is not used, and each call is observed.
 *
 * So a service that was off for more than a day starts to remove an hour late, and a clock that is set right again costs nothing.
 */
export class TrustedClock {
  private readonly ports: TrustedClockPorts;
  private trusted: Reading | undefined;
  private suspect: Reading | undefined;

  constructor(ports: TrustedClockPorts) {
    this.ports = ports;
  }

  /**
   * The time for removals. @returns Unix milliseconds; undefined while the clock is ahead and not trusted. @throws GatelogError when the
   * metadata fails.
   */
  async now(): Promise<number | undefined> {
    const { clock, readTrusted, storeTrusted, observe } = this.ports;
    const first = this.trusted ?? { wall: (await readTrusted()) ?? clock.now(), monotonic: clock.monotonic() };
    this.trusted ??= first;
    const reading: Reading = { wall: clock.now(), monotonic: clock.monotonic() };
    const aheadMs = reading.wall - wallExpectedAt(reading, this.trusted);
    if (Math.abs(aheadMs) <= maxDifferenceMs || this.isTrusted(reading)) {
      this.trusted = reading;
      this.suspect = undefined;
      await storeTrusted(reading.wall);
      return reading.wall;
    }
    if (aheadMs < 0) return reading.wall;
    observe({ kind: 'removals_put_off', clock: new Date(reading.wall).toISOString(), aheadMs: Math.round(aheadMs) });
    return undefined;
  }

  private isTrusted(reading: Reading): boolean {
    this.suspect ??= reading;
    if (Math.abs(reading.wall - wallExpectedAt(reading, this.suspect)) > maxDifferenceMs) this.suspect = reading;
    return reading.monotonic - this.suspect.monotonic >= probationMs;
  }
}

/** The wall clock that an earlier reading predicts for a later one. */
function wallExpectedAt({ monotonic }: Reading, earlier: Reading): number {
  return earlier.wall + monotonic - earlier.monotonic;
}
