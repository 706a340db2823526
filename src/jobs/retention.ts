import { setTimeout as wait } from 'node:timers/promises';
import type { OrganizationId } from '../model/ids.ts';
import { messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import { failureText } from '../store/engine/failure.ts';
import type { Expiry, RemoveExpired } from '../store/delete/retention.ts';

export interface RetentionPorts {
  /** Retention of the deployment in days; undefined: without end. */
  readonly deploymentDays: number | undefined;
  /** Organisations with a retention of their own, by its days. */
  readonly daysByOrganization: () => Promise<ReadonlyMap<number, readonly OrganizationId[]>>;
  readonly removeExpired: RemoveExpired;
  /** Removes claimed identifiers of expired records, so that they can be chosen again. */
  readonly removeClaims: (expiry: Expiry, signal: AbortSignal) => Promise<void>;
  /** Removes deliveries of events about expired records. */
  readonly removeDeliveries: (expiry: Expiry, signal: AbortSignal) => Promise<void>;
  /** Deletes receipts of erasures that were not fetched in time. @param now Unix milliseconds. */
  readonly forgetReceipts: (now: number) => Promise<void>;
  /** Time between two runs. */
  readonly intervalMs: number;
  /** Unix milliseconds; undefined while the clock is not trusted. */
  readonly trustedNow: () => Promise<number | undefined>;
  readonly observe: Observe;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The expiry times: the deployment's for all, and an organisation's own where it is shorter. Whole hours leave: within one, the store finds
 * the words of a turn by those before it.
 */
export function expiriesOf(
  now: number,
  deploymentDays: number | undefined,
  daysByOrganization: ReadonlyMap<number, readonly OrganizationId[]>,
): readonly Expiry[] {
  const shorter = [...daysByOrganization].filter(([days]) => deploymentDays === undefined || days < deploymentDays);
  const hour = now - (now % hourMs);
  return [
    ...(deploymentDays === undefined ? [] : [{ organizations: undefined, before: hour - deploymentDays * dayMs }]),
    ...shorter.map(([days, organizations]) => ({ organizations, before: hour - days * dayMs })),
  ];
}

/**
 * Removes expired records, receipts and claimed identifiers, at the start and then regularly. The next run makes up for a failed one, and
 * for one without a trusted clock.
 */
export class Retention {
  private readonly ports: RetentionPorts;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(ports: RetentionPorts) {
    this.ports = ports;
  }

  start(): void {
    this.running ??= this.loop();
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('the retention is stopping'));
    await this.running;
  }

  /**
   * @returns the number of removed requests. @throws GatelogError when the store or the metadata fails; the abort reason when told to
   * stop.
   */
  async runOnce(): Promise<number> {
    const { trustedNow, deploymentDays, daysByOrganization, removeExpired, removeClaims, removeDeliveries, forgetReceipts } = this.ports;
    const now = await trustedNow();
    if (now === undefined) return 0;
    await this.tidy('removal of receipts that nobody has fetched', () => forgetReceipts(now));
    const { signal } = this.stopping;
    const expiries = expiriesOf(now, deploymentDays, await daysByOrganization());
    let removed = 0;
    for (const expiry of expiries) removed += await removeExpired(expiry, signal);
    // Invariant: not before their records, whose identifiers would not be unique.
    for (const expiry of expiries) await this.tidy('removal of claimed identifiers', () => removeClaims(expiry, signal));
    for (const expiry of expiries) await this.tidy('removal of deliveries of expired requests', () => removeDeliveries(expiry, signal));
    return removed;
  }

  /** A failure here costs only space and does not keep records from being removed. */
  private async tidy(job: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.stopping.signal.aborted) this.ports.observe({ kind: 'job_failed', job, reason: messageOf(error) });
    }
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const requests = await this.runOnce();
        if (requests > 0) this.ports.observe({ kind: 'expired_removed', requests });
      } catch (error) {
        if (signal.aborted) return;
        this.ports.observe({ kind: 'retention_failed', reason: failureText(error), retryInMs: this.ports.intervalMs });
      }
      await wait(this.ports.intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
