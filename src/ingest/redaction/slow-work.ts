import type { OrganizationId } from '../../model/ids.ts';

/** Slow work of an organisation's rules that is done at once, and in each second over longer times. */
const maxMs = 5000;
const msPerMs = 1 / 12;
/** Organisations with slow rules; the ones that were slow longest ago are forgotten. */
const maxOrganizations = 10_000;

interface Spent {
  readonly at: number;
  readonly ms: number;
}

/** The work that rules of organisations do beyond what is quick: a twelfth of the time, with five seconds of it at once. */
export class SlowWork {
  private readonly monotonic: () => number;
  /** The latest is last. */
  private readonly spent = new Map<OrganizationId, Spent>();

  constructor(monotonic: () => number) {
    this.monotonic = monotonic;
  }

  remainingMs(organizationId: OrganizationId): number {
    const spent = this.spent.get(organizationId);
    if (spent === undefined) return maxMs;
    return Math.max(0, maxMs - Math.max(0, spent.ms - (this.monotonic() - spent.at) * msPerMs));
  }

  count(organizationId: OrganizationId, ms: number): void {
    if (ms <= 0) return;
    const before = maxMs - this.remainingMs(organizationId);
    this.spent.delete(organizationId);
    this.spent.set(organizationId, { at: this.monotonic(), ms: before + ms });
    const [oldest] = this.spent.keys();
    if (this.spent.size > maxOrganizations && oldest !== undefined) this.spent.delete(oldest);
  }
}
