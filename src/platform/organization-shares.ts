import { LinkedQueue, type Queued } from './linked-queue.ts';

/** What one organisation has, and its calls that wait for more. */
export class Share<Call extends Waiting<Call>> implements Queued<Share<Call>> {
  before: Share<Call> | undefined;
  behind: Share<Call> | undefined;
  isQueued = false;
  /** The oldest first. */
  readonly waiting = new LinkedQueue<Call>();
  taken = 0;
}

/** A call that stands in {@link OrganizationShares}, which alone changes its share. */
export interface Waiting<Call extends Waiting<Call>> extends Queued<Call> {
  readonly organizationId: string;
  share: Share<Call> | undefined;
}

/** How the calls of one organisation that wait stand. */
export interface Standing<Call> {
  /** The oldest first. */
  readonly calls: readonly Call[];
  readonly provided: number;
  readonly servable: number;
}

/** With more organisations than this those that have nothing are forgotten now and then. */
const keptShares = 256;

/**
 * How many of so many an organisation may have while the others have some.
 * @param percent of what the others leave. However many organisations take all that they may, something is left for the next one, as long as there are more than there are organisations.
 * @returns at least 1.
 */
export function shareOf(max: number, others: number, percent: number): number {
  return Math.max(1, Math.ceil(((max - others) * percent) / 100));
}

/**
 * Calls of several organisations that take one thing of which there are so many, and that wait for it in turns by organisation: a call that comes behind a
 * thousand of another organisation waits for one of them. Within an organisation they go in their order.
 */
export class OrganizationShares<Call extends Waiting<Call>> {
  private readonly max: number;
  private readonly percent: number;
  private readonly shares = new Map<string, Share<Call>>();
  /** Those with calls that wait, the next one first. */
  private readonly turns = new LinkedQueue<Share<Call>>();
  private taken = 0;
  private count = 0;

  constructor(max: number, percent: number) {
    this.max = max;
    this.percent = percent;
  }

  /** How many calls wait. */
  get size(): number {
    return this.count;
  }

  /** How many calls of an organisation wait. */
  waitingOf(organizationId: string): number {
    return this.shares.get(organizationId)?.waiting.size ?? 0;
  }

  add(call: Call): void {
    const share = this.shares.get(call.organizationId) ?? this.meet(call.organizationId);
    call.share = share;
    share.waiting.add(call);
    this.count += 1;
    if (!share.isQueued) this.turns.add(share);
  }

  /** A call waits no more. Does nothing with one that does not wait. */
  delete(call: Call): void {
    const { share } = call;
    if (share === undefined || !call.isQueued) return;
    share.waiting.delete(call);
    this.count -= 1;
    if (share.waiting.size === 0) this.turns.delete(share);
  }

  /** The call whose turn it is; undefined while no organisation with a call that waits may have more. */
  next(): Call | undefined {
    // Asked for every call, so without an iterator.
    let share = this.turns.first;
    while (share !== undefined && this.room(share) <= 0) share = share.behind;
    return share?.waiting.first;
  }

  /** A call that waited gets one; the next turn is another organisation's. */
  take(call: Call): void {
    const { share } = call;
    if (share === undefined) return;
    this.delete(call);
    share.taken += 1;
    this.taken += 1;
    if (!share.isQueued) return;
    this.turns.delete(share);
    this.turns.add(share);
  }

  /** A call gives back what it took. */
  release(call: Call): void {
    const { share } = call;
    if (share === undefined) return;
    call.share = undefined;
    share.taken -= 1;
    this.taken -= 1;
  }

  /** How many of the calls that wait might have one at once, were there any number of them: the others have to wait for calls of their own organisation. */
  servable(): number {
    let servable = 0;
    for (const share of this.turns) servable += Math.min(share.waiting.size, this.room(share));
    return servable;
  }

  /**
   * Asks about every organisation with calls that wait. Its first `provided` calls are about to get one, those up to `servable` may, and all others wait
   * for calls of their own organisation.
   * @param provided how many there are to be had.
   */
  standings(provided: number): readonly Standing<Call>[] {
    const standings: Standing<Call>[] = [];
    let left = provided;
    for (const share of this.turns) {
      const servable = Math.min(share.waiting.size, this.room(share));
      const own = Math.min(servable, left);
      left -= own;
      standings.push({ calls: [...share.waiting], provided: own, servable });
    }
    return standings;
  }

  /** How many more an organisation may have. */
  private room({ taken }: Share<Call>): number {
    return shareOf(this.max, this.taken - taken, this.percent) - taken;
  }

  private meet(organizationId: string): Share<Call> {
    if (this.shares.size >= keptShares) {
      for (const [name, { taken, waiting }] of this.shares) if (taken === 0 && waiting.size === 0) this.shares.delete(name);
    }
    const share = new Share<Call>();
    this.shares.set(organizationId, share);
    return share;
  }
}
