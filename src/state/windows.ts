import { createHash } from 'node:crypto';
import type { Database } from 'lmdb';
import type { Environment } from './environment.ts';

/** So much of something in so much time. Amounts are whole units of the caller's choice. */
export interface Quota {
  readonly amount: bigint;
  /** Length of the window, milliseconds. It begins with the first claim after the one before has ended. */
  readonly windowMs: number;
}

/** A wish to use up some of a quota. Claims with the same name and the same window share one count. */
export interface Claim {
  /** Whose window it is; any text. */
  readonly name: readonly string[];
  readonly quota: Quota;
  readonly amount: bigint;
  /** The amount is an estimate: it is kept as a part of the reservation, to be settled later. */
  readonly isEstimate?: boolean;
}

/** How one claim stands after it was asked for. */
export interface Standing {
  /** What is left of the quota; 0 when the claim was refused for want of it, never negative. */
  readonly left: bigint;
  /** Unix milliseconds at which the window ends. */
  readonly endsAt: number;
}

/** The answer to claims: all of them were granted or none. */
export interface Verdict {
  readonly granted: boolean;
  /** The standing of each claim, in their order. */
  readonly standings: readonly Standing[];
  /** The first claim that was refused. */
  readonly refused: number | undefined;
  /** A reservation was kept under the name that was given, and waits to be settled. */
  readonly reserved: boolean;
}

/** What a reservation is settled with. `undefined`: nobody will know, so it stays counted in full. */
export interface Settlement {
  /** Under which it was reserved. */
  readonly reservation: readonly [string, string];
  readonly amount: bigint | undefined;
}

interface Window {
  readonly startedAt: number;
  readonly endsAt: number;
  readonly used: bigint;
}

/** An amount that was taken from a window. */
interface Part {
  readonly key: string[];
  readonly startedAt: number;
  readonly endsAt: number;
  readonly amount: bigint;
}

interface Found {
  readonly key: string[];
  readonly window: Window;
  readonly isNew: boolean;
}

/** Entries looked at when some are cleared away, and after how many claims that is done. */
const sweepLength = 64;
const claimsBetweenSweeps = 64;

/**
 * Counts what is used up within fixed windows, for all workers of a machine together.
 *
 * Invariant: within one window never more than the quota is granted, whatever the workers do at once.
 * Invariant: an estimate is counted from the moment at which it is granted. Its reservation is removed in the very transaction that replaces it
 * by the real amount, so settling twice is settling once, and one that is never settled is counted in full until its window ends.
 * Invariant: no name of a window is in the tables, only its fingerprint.
 * What has ended is cleared away later. While there is more than the limit, windows that run go on and nothing new begins.
 */
export class Windows {
  private readonly environment: Environment;
  private readonly table: Database<Window, string[]>;
  private readonly reservations: Database<Part[], string[]>;
  private readonly mostBytes: number;
  private claims = 0;
  private isFull = false;
  private sweptTo: string[] = [];
  private sweptReservationsTo: string[] = [];

  /** @param mostBytes of both tables; looked at from time to time, so that a little more may come in. */
  constructor(environment: Environment, mostBytes: number) {
    this.environment = environment;
    this.mostBytes = mostBytes;
    this.table = environment.table<Window, string[]>('windows');
    this.reservations = environment.table<Part[], string[]>('reservations');
  }

  /**
   * Takes all claims or none.
   * @param now Unix milliseconds.
   * @param reservation name under which estimates are kept; used once.
   * @throws when something new would have to be kept and there is no room for it, or the tables cannot be written.
   */
  claim(claims: readonly Claim[], now: number, reservation: readonly [string, string]): Verdict {
    this.claims += 1;
    return this.environment.write(() => {
      if (this.claims % claimsBetweenSweeps === 0) this.sweep(now);
      const found = claims.map((claim) => this.windowOf(claim, now));
      const refused = claims.findIndex((claim, index) => (found[index]?.window.used ?? 0n) + claim.amount > claim.quota.amount);
      const granted = refused === -1;
      if (granted && this.isFull && found.some(({ isNew }, index) => isNew || claims[index]?.isEstimate === true)) throw new Error(full);
      const reserved = granted && this.take(claims, found, reservation);
      const standings = found.map(({ window }, index): Standing => {
        const { quota, amount } = claims[index] ?? nothing;
        const left = quota.amount - window.used - (granted ? amount : 0n);
        return { left: left < 0n || index === refused ? 0n : left, endsAt: window.endsAt };
      });
      return { granted, standings, refused: granted ? undefined : refused, reserved };
    });
  }

  /** Replaces reserved estimates by what it came to; a window that has ended meanwhile is not changed, nor is one that was settled before. */
  settle(settlements: readonly Settlement[]): void {
    if (settlements.length === 0) return;
    this.environment.write(() => {
      for (const { reservation, amount } of settlements) {
        const key = [...reservation];
        const parts = this.reservations.get(key);
        if (parts === undefined) continue;
        this.reservations.removeSync(key);
        if (amount !== undefined) for (const part of parts) this.replace(part, amount);
      }
    });
  }

  /** Writes down what was granted. @returns whether estimates are among it. */
  private take(claims: readonly Claim[], found: readonly Found[], reservation: readonly [string, string]): boolean {
    const parts = new Map<string, Part>();
    for (const [index, { key, window }] of found.entries()) {
      const { amount, isEstimate } = claims[index] ?? nothing;
      // Two quotas over one count have found the same window: it is written twice and counted once.
      this.table.putSync(key, { ...window, used: window.used + amount });
      const { startedAt, endsAt } = window;
      if (isEstimate === true) parts.set(JSON.stringify(key), { key, startedAt, endsAt, amount });
    }
    if (parts.size === 0) return false;
    this.reservations.putSync([...reservation], [...parts.values()]);
    return true;
  }

  private replace({ key, startedAt, amount }: Part, real: bigint): void {
    const window = this.table.get(key);
    if (window?.startedAt !== startedAt) return;
    const used = window.used - amount + real;
    this.table.putSync(key, { ...window, used: used < 0n ? 0n : used });
  }

  private windowOf({ name, quota }: Claim, now: number): Found {
    const key = [fingerprint(name), String(quota.windowMs)];
    const window = this.table.get(key);
    // A clock that was set back must not make a window longer than it is.
    const runs = window !== undefined && now < window.endsAt && now >= window.startedAt - quota.windowMs;
    const next = { startedAt: now, endsAt: now + quota.windowMs, used: 0n };
    return { key, window: runs ? window : next, isNew: window === undefined };
  }

  private sweep(now: number): void {
    this.sweptTo = sweepTable(this.table, this.sweptTo, ({ endsAt }) => endsAt <= now);
    const hasEnded = (parts: readonly Part[]): boolean => parts.every(({ endsAt }) => endsAt <= now);
    this.sweptReservationsTo = sweepTable(this.reservations, this.sweptReservationsTo, hasEnded);
    this.isFull = bytesOf(this.table) + bytesOf(this.reservations) >= this.mostBytes;
  }
}

const nothing: Claim = { name: [], quota: { amount: 0n, windowMs: 0 }, amount: 0n };

const full = 'the limits that run take all of GATELOG_STATE_MAX_BYTES';

/** What LMDB says of a table. */
interface TableStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

function bytesOf(table: Pick<Database, 'getStats'>): number {
  const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = table.getStats() as TableStats;
  return pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages);
}

/** Clears some entries away, from a key on. @returns the key to go on from. */
function sweepTable<Value>(table: Database<Value, string[]>, from: string[], hasEnded: (value: Value) => boolean): string[] {
  const entries = [...table.getRange({ start: from, limit: sweepLength })];
  for (const { key, value } of entries) if (hasEnded(value)) table.removeSync(key);
  return entries.length < sweepLength ? [] : (entries.at(-1)?.key ?? []);
}

/** What stands for a name in the tables: names hold what callers say, also in bodies that must never touch a disk. */
function fingerprint(name: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(name)).digest('base64url');
}
