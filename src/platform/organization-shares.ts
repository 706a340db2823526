import { LinkedQueue, type Queued } from './linked-queue.ts';

/** The slots held by one organisation, and its waiting calls. */
export class Share<Call extends Waiting<Call>> implements Queued<Share<Call>> {
  previous: Share<Call> | undefined;
  next: Share<Call> | undefined;
  isQueued = false;
  /** Oldest first. */
  readonly waiting = new LinkedQueue<Call>();
  taken = 0;
}

/** A call in {@link OrganizationShares}, which alone changes `share`. */
export interface Waiting<Call extends Waiting<Call>> extends Queued<Call> {
  readonly organizationId: string;
  share: Share<Call> | undefined;
}

/** Prospects of the waiting calls of one organisation. */
export interface ShareForecast<Call> {
  /** Oldest first. */
  readonly calls: readonly Call[];
  readonly provided: number;
  readonly servable: number;
}

/** Beyond this number, idle organisations are forgotten. */
const maxIdleShares = 256;

/**
 * Max slots of an organisation while others hold some. @param percent of the slots that the others leave; so, however many organisations
 * use their full share, some are left for the next one, as long as there are more slots than organisations. @returns at least 1.
 */
export function shareOf(max: number, others: number, percent: number): number {
  return Math.max(1, Math.ceil(((max - others) * percent) / 100));
}

/**
 * Distributes a limited number of slots among the calls of several organisations. Waiting organisations take turns: a call behind a
 * thousand calls of another organisation waits for one of them. Calls of one organisation keep their order.
 */
export class OrganizationShares<Call extends Waiting<Call>> {
  private readonly max: number;
  private readonly percent: number;
  private readonly shares = new Map<string, Share<Call>>();
  /** Organisations with waiting calls, in turn order. */
  private readonly turns = new LinkedQueue<Share<Call>>();
  private taken = 0;
  private count = 0;

  constructor(max: number, percent: number) {
    this.max = max;
    this.percent = percent;
  }

  /** Number of waiting calls. */
  get size(): number {
    return this.count;
  }

  waitingOf(organizationId: string): number {
    return this.shares.get(organizationId)?.waiting.size ?? 0;
  }

  add(call: Call): void {
    const share = this.shares.get(call.organizationId) ?? this.addShare(call.organizationId);
    call.share = share;
    share.waiting.add(call);
    this.count += 1;
    if (!share.isQueued) this.turns.add(share);
  }

  /** Removes a waiting call; ignores other calls. */
  delete(call: Call): void {
    const { share } = call;
    if (share === undefined || !call.isQueued) return;
    share.waiting.delete(call);
    this.count -= 1;
    if (share.waiting.size === 0) this.turns.delete(share);
  }

  /** The next call to serve; undefined while every organisation with waiting calls has its full share. */
  next(): Call | undefined {
    // Runs for every call, so avoids an iterator.
    let share = this.turns.first;
    while (share !== undefined && this.freeSlots(share) <= 0) share = share.next;
    return share?.waiting.first;
  }

  /** Gives a slot to a waiting call; its organisation goes to the end of the turn order. */
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

  /** Returns the slot of a call. */
  release(call: Call): void {
    const { share } = call;
    if (share === undefined) return;
    call.share = undefined;
    share.taken -= 1;
    this.taken -= 1;
  }

  /** How many waiting calls could run with unlimited slots; the others wait for calls of their own organisation. */
  servable(): number {
    let servable = 0;
    for (const share of this.turns) servable += Math.min(share.waiting.size, this.freeSlots(share));
    return servable;
  }

  /**
   * Describes every organisation with waiting calls. Its first `provided` calls are about to get a slot, those up to `servable` may, and
   * all others wait for calls of their own organisation. @param provided number of slots about to become free.
   */
  forecasts(provided: number): readonly ShareForecast<Call>[] {
    const forecasts: ShareForecast<Call>[] = [];
    let left = provided;
    for (const share of this.turns) {
      const servable = Math.min(share.waiting.size, this.freeSlots(share));
      const own = Math.min(servable, left);
      left -= own;
      forecasts.push({ calls: [...share.waiting], provided: own, servable });
    }
    return forecasts;
  }

  /** How many more slots an organisation may hold. */
  private freeSlots({ taken }: Share<Call>): number {
    return shareOf(this.max, this.taken - taken, this.percent) - taken;
  }

  private addShare(organizationId: string): Share<Call> {
    if (this.shares.size >= maxIdleShares) {
      for (const [name, { taken, waiting }] of this.shares) if (taken === 0 && waiting.size === 0) this.shares.delete(name);
    }
    const share = new Share<Call>();
    this.shares.set(organizationId, share);
    return share;
  }
}
