import type { OrganizationId } from '../../model/ids.ts';
import { shareOf } from '../../platform/organization-shares.ts';
import { Gate } from './gate.ts';

/** Attempts at once over all destinations. */
const maxAtOnce = 256;
/** Of what others leave, one organisation has at most so much. */
const percentOfOrganization = 50;
/** Once a part of its organisation's share is taken, a destination begins no more while it has so many: a hundred slow ones fit. */
const scarce: readonly { readonly taken: number; readonly most: number }[] = [
  { taken: 1 / 2, most: 1 },
  { taken: 1 / 4, most: 2 },
];

/** Whoever may begin an attempt again. */
export type Waiter = () => void;

/**
 * Shares the attempts at once among organisations, and within each among its destinations. However many slow destinations some
 * organisations have, places are left for the next one; and most of a share is kept for destinations that have only few. A place that
 * becomes free goes to the organisation with the fewest attempts, then to whoever waits longest.
 */
export class Slots {
  private readonly concurrency: number;
  private readonly now: () => number;
  private readonly gates = new Map<string, Gate>();
  private readonly waiting = new Map<Waiter, Gate>();
  private readonly ofOrganization = new Map<OrganizationId, number>();
  private running = 0;

  /** @param concurrency to one destination. @param now Unix milliseconds. */
  constructor(concurrency: number, now: () => number) {
    this.concurrency = concurrency;
    this.now = now;
  }

  get inFlight(): number {
    return this.running;
  }

  /** @param destination of this organisation alone. @param failedInARow of the target that asks first. */
  gateOf(organizationId: OrganizationId, destination: string, failedInARow: number): Gate {
    const there = this.gates.get(destination);
    if (there !== undefined) return there;
    const gate = new Gate(organizationId, this.concurrency, failedInARow);
    this.gates.set(destination, gate);
    return gate;
  }

  /** Forgets a destination without attempts; how often it failed in a row is stored. */
  forget(destination: string): void {
    if (this.gates.get(destination)?.inFlight === 0) this.gates.delete(destination);
  }

  /** Forgets the failures of a destination. */
  reopen(destination: string): void {
    this.gates.get(destination)?.reset();
  }

  /** How many attempts may begin now. */
  free(gate: Gate): number {
    const own = this.inFlightOf(gate);
    const share = shareOf(maxAtOnce, this.running - own, percentOfOrganization);
    const ofAll = Math.min(maxAtOnce - this.running, share - own);
    const most = scarce.find(({ taken }) => own >= share * taken)?.most ?? Infinity;
    return Math.max(0, Math.min(ofAll, most - gate.inFlight, gate.freeAt(this.now())));
  }

  /** Calls `waiter` once, when an attempt has ended whose place it may take. */
  await(gate: Gate, waiter: Waiter): void {
    this.waiting.set(waiter, gate);
  }

  began(gate: Gate): void {
    this.running += 1;
    this.ofOrganization.set(gate.organizationId, this.inFlightOf(gate) + 1);
    gate.began();
  }

  /** Call it after the gate has been told how the attempt ended. */
  ended(gate: Gate): void {
    this.running -= 1;
    const own = this.inFlightOf(gate) - 1;
    if (own > 0) this.ofOrganization.set(gate.organizationId, own);
    else this.ofOrganization.delete(gate.organizationId);
    for (const [waiter, awaited] of this.waiting) if (awaited === gate) this.wake(waiter);
    this.passOn();
  }

  /** Wakes the next waiter. Call it, too, for one that was woken and has nothing to send: its place is another's then. */
  passOn(): void {
    let next: Waiter | undefined;
    let fewest = Infinity;
    for (const [waiter, gate] of this.waiting) {
      if (this.inFlightOf(gate) >= fewest || this.free(gate) === 0) continue;
      next = waiter;
      fewest = this.inFlightOf(gate);
    }
    if (next !== undefined) this.wake(next);
  }

  private wake(waiter: Waiter): void {
    this.waiting.delete(waiter);
    waiter();
  }

  private inFlightOf({ organizationId }: Gate): number {
    return this.ofOrganization.get(organizationId) ?? 0;
  }
}
