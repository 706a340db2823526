import type { OrganizationId } from '../../model/ids.ts';

/** Failures in a row after which a destination is probed. */
const openAfter = 5;
const firstProbeMs = 5000;
const maxProbeMs = 5 * 60_000;

/**
 * What one destination is spared: attempts at once, and attempts while it fails. After five failures in a row one delivery at a time probes
 * it, at growing intervals; the others wait and use up no attempts. Times are Unix milliseconds.
 */
export class Gate {
  readonly organizationId: OrganizationId;
  private readonly maxAtOnce: number;
  private running = 0;
  private failures: number;
  private probeMs = firstProbeMs;
  private closedUntil = 0;

  /** @param failedInARow before this start. */
  constructor(organizationId: OrganizationId, maxAtOnce: number, failedInARow: number) {
    this.organizationId = organizationId;
    this.maxAtOnce = maxAtOnce;
    this.failures = failedInARow;
  }

  get inFlight(): number {
    return this.running;
  }

  get isProbing(): boolean {
    return this.failures >= openAfter;
  }

  /** When the next attempt may begin, as far as time decides; may be past. */
  get opensAt(): number {
    return this.closedUntil;
  }

  /** How many attempts may begin now. */
  freeAt(now: number): number {
    if (now < this.closedUntil) return 0;
    return Math.max(0, (this.isProbing ? 1 : this.maxAtOnce) - this.running);
  }

  began(): void {
    this.running += 1;
  }

  /** An attempt ended without a word about the destination. */
  abandoned(): void {
    this.running -= 1;
  }

  succeeded(): void {
    this.running -= 1;
    this.reset();
  }

  /** @param askedMs wait that the receiver asked for. */
  failed(now: number, askedMs: number): void {
    this.running -= 1;
    this.failures += 1;
    this.close(now + Math.min(askedMs, maxProbeMs));
    if (!this.isProbing) return;
    this.close(now + this.probeMs);
    this.probeMs = Math.min(maxProbeMs, this.probeMs * 2);
  }

  /** Forgets the failures. */
  reset(): void {
    this.failures = 0;
    this.probeMs = firstProbeMs;
    this.closedUntil = 0;
  }

  private close(until: number): void {
    this.closedUntil = Math.max(this.closedUntil, until);
  }
}
