import { createHash } from 'node:crypto';
import type { Database } from 'lmdb';
import type { LmdbEnvironment } from './lmdb.ts';

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
  /** The organisation whose share it counts for. */
  readonly owner?: string | undefined;
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
 * What has ended is cleared away later. While there is more than the limit, windows that run go on and nothing new begins. Nor does it for an organisation
 * that has its share of what the others leave of the limit, so that windows without number of one organisation stop the limits of no other.
 */
export class FixedWindows {
  private readonly environment: LmdbEnvironment;
  private readonly table: Database<Window, string[]>;
  private readonly reservations: Database<Part[], string[]>;
  /** How many windows and reservations an organisation has. */
  private readonly held: Database<number, string[]>;
  private readonly maxBytes: number;
  private readonly sharePercent: number;
  private bytes = 0;
  private bytesOfOne = 0;
  private claims = 0;
  private isFull = false;
  private sweptTo: string[] = [];
  private sweptReservationsTo: string[] = [];

  /**
   * @param maxBytes of both tables; looked at from time to time, so that a little more may come in.
   * @param sharePercent what an organisation may have of those that the others leave.
   */
  constructor(environment: LmdbEnvironment, maxBytes: number, sharePercent = 100) {
    this.environment = environment;
    this.maxBytes = maxBytes;
    this.sharePercent = sharePercent;
    this.table = environment.table<Window, string[]>('windows');
    this.reservations = environment.table<Part[], string[]>('reservations');
    this.held = environment.table<number, string[]>('held');
    this.measure();
  }

  /**
   * Takes all claims or none.
   * @param now Unix milliseconds.
   * @param reservation name under which estimates are kept, used once; its first part is the organisation.
   * @throws SharesTakenError where its organisation may begin nothing new, and when something new would have to be kept and there is no room for it, or the tables cannot be written.
   */
  claim(claims: readonly Claim[], now: number, reservation: readonly [string, string]): Verdict {
    this.claims += 1;
    return this.environment.write(() => {
      if (this.claims % claimsBetweenSweeps === 0) this.sweep(now);
      const [organizationId] = reservation;
      const found = claims.map((claim) => this.windowOf(claim, now, organizationId));
      const refused = claims.findIndex((claim, index) => (found[index]?.window.used ?? 0n) + claim.amount > claim.quota.amount);
      const granted = refused === -1;
      if (granted && found.some(({ isNew }, index) => isNew || claims[index]?.isEstimate === true)) this.checkRoom(organizationId);
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
        this.hold(reservation[0], -1);
        if (amount !== undefined) for (const part of parts) this.replace(part, amount);
      }
    });
  }

  /** Writes down what was granted. @returns whether estimates are among it. */
  private take(claims: readonly Claim[], found: readonly Found[], reservation: readonly [string, string]): boolean {
    const parts = new Map<string, Part>();
    const begun = new Set<string>();
    for (const [index, { key, window, isNew }] of found.entries()) {
      const { amount, isEstimate } = claims[index] ?? nothing;
      // Two quotas over one count have found the same window: it is written twice and counted once.
      this.table.putSync(key, { ...window, used: window.used + amount });
      const { startedAt, endsAt } = window;
      if (isEstimate === true) parts.set(JSON.stringify(key), { key, startedAt, endsAt, amount });
      if (isNew) begun.add(key.join('/'));
    }
    const reserved = parts.size > 0;
    if (reserved) this.reservations.putSync([...reservation], [...parts.values()]);
    this.hold(reservation[0], begun.size + (reserved ? 1 : 0));
    return reserved;
  }

  /** Within a transaction. */
  private hold(organizationId: string, more: number): void {
    if (more !== 0) this.held.putSync([organizationId], Math.max(0, (this.held.get([organizationId]) ?? 0) + more));
  }

  /** @throws where nothing new may begin. */
  private checkRoom(organizationId: string): void {
    if (this.isFull) throw new Error(full);
    const own = (this.held.get([organizationId]) ?? 0) * this.bytesOfOne;
    const left = this.maxBytes - Math.max(0, this.bytes - own);
    if (own >= (left * this.sharePercent) / 100) throw new ShareTakenError(this.sharePercent);
  }

  private replace({ key, startedAt, amount }: Part, real: bigint): void {
    const window = this.table.get(key);
    if (window?.startedAt !== startedAt) return;
    const used = window.used - amount + real;
    this.table.putSync(key, { ...window, used: used < 0n ? 0n : used });
  }

  private windowOf({ name, quota }: Claim, now: number, organizationId: string): Found {
    const key = [fingerprint(name), String(quota.windowMs)];
    const window = this.table.get(key);
    // A clock that was set back must not make a window longer than it is.
    const runs = window !== undefined && now < window.endsAt && now >= window.startedAt - quota.windowMs;
    const owner = window === undefined ? organizationId : window.owner;
    const next = { startedAt: now, endsAt: now + quota.windowMs, used: 0n, owner };
    return { key, window: runs ? window : next, isNew: window === undefined };
  }

  private sweep(now: number): void {
    this.sweptTo = sweepTable(this.table, this.sweptTo, (key, { endsAt, owner }) => {
      if (endsAt > now) return;
      this.table.removeSync(key);
      if (owner !== undefined) this.hold(owner, -1);
    });
    this.sweptReservationsTo = sweepTable(this.reservations, this.sweptReservationsTo, (key, parts) => {
      if (parts.some(({ endsAt }) => endsAt > now)) return;
      this.reservations.removeSync(key);
      this.hold(key[0] ?? '', -1);
    });
    this.measure();
  }

  private measure(): void {
    this.bytes = bytesOf(this.table) + bytesOf(this.reservations);
    this.bytesOfOne = this.bytes / Math.max(1, entriesOf(this.table) + entriesOf(this.reservations));
    this.isFull = this.bytes >= this.maxBytes;
  }
}

/** An organisation has as many windows and reservations as it may have beside others. */
export class ShareTakenError extends Error {
  readonly percent: number;

  constructor(percent: number) {
    super('the organisation has its share of the windows of limits');
    this.name = 'ShareTakenError';
    this.percent = percent;
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
  readonly entryCount: number;
}

function bytesOf(table: Pick<Database, 'getStats'>): number {
  const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = table.getStats() as TableStats;
  return pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages);
}

function entriesOf(table: Pick<Database, 'getStats'>): number {
  return (table.getStats() as TableStats).entryCount;
}

/** Looks at some entries, from a key on, of which `clear` takes away what has ended. @returns the key to go on from. */
function sweepTable<Value>(table: Database<Value, string[]>, from: string[], clear: (key: string[], value: Value) => void): string[] {
  const entries = [...table.getRange({ start: from, limit: sweepLength })];
  for (const { key, value } of entries) clear(key, value);
  return entries.length < sweepLength ? [] : (entries.at(-1)?.key ?? []);
}

/** What stands for a name in the tables: names hold what callers say, also in bodies that must never touch a disk. */
function fingerprint(name: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(name)).digest('base64url');
}
