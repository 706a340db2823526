import type { OrganizationId } from '../../model/ids.ts';

/** Milliseconds. */
export interface TurnTimes {
  /** Of all organisations together, beyond `minMs` for each. */
  readonly roundMs: number;
  /** One organisation takes no longer in a round, */
  readonly maxTotalMs: number;
  /** and may take as much however many there are. */
  readonly minMs: number;
}

/** With those of a look at late requests, less than a rule's promise of half a minute. */
export const roundTimes: TurnTimes = { roundMs: 12_000, maxTotalMs: 8000, minMs: 1000 };
export const lateTimes: TurnTimes = { roundMs: 5000, maxTotalMs: 4000, minMs: 200 };

/**
 * The turns of organisations in one round. Those whose rules took the longest in the round before come last, and share what time is left:
 * dear rules of some delay no rule of others.
 */
export class RoundTurns {
  readonly order: readonly OrganizationId[];
  private readonly tookMs: Map<OrganizationId, number>;
  private readonly monotonic: () => number;
  private readonly times: TurnTimes;
  private readonly endsAt: number;
  private waiting: number;

  /** @param tookMs of the round before; of this one afterwards. @param monotonic milliseconds. */
  constructor(organizationIds: Iterable<OrganizationId>, tookMs: Map<OrganizationId, number>, monotonic: () => number, times: TurnTimes) {
    const all = new Set(organizationIds);
    for (const known of tookMs.keys()) if (!all.has(known)) tookMs.delete(known);
    this.order = [...all].toSorted((one, other) => (tookMs.get(one) ?? 0) - (tookMs.get(other) ?? 0));
    this.tookMs = tookMs;
    this.monotonic = monotonic;
    this.times = times;
    this.endsAt = monotonic() + times.roundMs;
    this.waiting = this.order.length;
  }

  /** @param work takes at most the milliseconds that it is given. */
  async during<Result>(organizationId: OrganizationId, work: (maxMs: number) => Promise<Result>): Promise<Result> {
    const since = this.monotonic();
    const { maxTotalMs, minMs } = this.times;
    const maxMs = Math.min(maxTotalMs, Math.max(minMs, (this.endsAt - since) / this.waiting));
    this.waiting -= 1;
    try {
      return await work(maxMs);
    } finally {
      this.tookMs.set(organizationId, this.monotonic() - since);
    }
  }
}
