import { createHash } from 'node:crypto';
import type { Database } from 'lmdb';
import type { LmdbEnvironment } from './lmdb.ts';

/** Maximum amount within a window, in whole units of the caller's choice. */
export type Quota = { readonly amount: bigint } & (
  | {
      /** The window begins with the first claim after the previous one has ended. */
      readonly windowMs: number;
    }
  | { readonly calendar: CalendarWindow }
);

/** The window of a calendar that runs at the time of a claim; Unix milliseconds. */
export interface CalendarWindow {
  /** Tells calendars apart; no number. */
  readonly key: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** A request for a part of a quota. Claims with the same name and window length, or calendar, share one count. */
export interface Claim {
  /** Identifies the window; any text. */
  readonly name: readonly string[];
  readonly quota: Quota;
  readonly amount: bigint;
  /** The amount is an estimate, kept with the reservation until it is settled. */
  readonly isEstimate?: boolean;
}

/** State of a claim's window after the decision. */
export interface WindowState {
  /** Rest of the quota: 0 for the refused claim, never negative. */
  readonly left: bigint;
  /** Unix milliseconds. */
  readonly endsAt: number;
}

/** All claims were granted, or none. */
export interface Verdict {
  readonly granted: boolean;
  /** In the order of the claims. */
  readonly states: readonly WindowState[];
  /** Index of the first refused claim. */
  readonly refused: number | undefined;
  /** A reservation was kept under the given name, to be settled. */
  readonly reserved: boolean;
}

/** The final amount of a reservation; undefined: unknown, so the estimate stays counted in full. */
export interface Settlement {
  readonly reservation: readonly [string, string];
  readonly amount: bigint | undefined;
}

interface Window {
  readonly startedAt: number;
  readonly endsAt: number;
  readonly used: bigint;
  /** The organisation whose share of the space it uses. */
  readonly owner?: string | undefined;
}

/** An estimate within a reservation. */
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

/** Entries checked by one sweep, and claims between two sweeps. */
const sweepLength = 64;
const claimsBetweenSweeps = 64;

/**
 * Counts usage in fixed windows and in those of calendars, shared by all workers of a machine.
 *
 * Invariant: within a window no more than the quota is granted, whatever the workers do at once.
 * Invariant: an estimate counts from the moment it is granted. One transaction removes its reservation and replaces it by the final
 * amount, so settling twice has no further effect; a reservation that is never settled counts in full until its window ends.
 * Invariant: the tables hold fingerprints of window names, never the names.
 *
 * Ended windows are removed later. Above the size limit, running windows go on and new ones are refused. An organisation with its share of
 * the space that the others leave is refused new ones too, so countless windows of one organisation never stop the limits of another.
 */
export class FixedWindows {
  private readonly environment: LmdbEnvironment;
  private readonly table: Database<Window, string[]>;
  private readonly reservations: Database<Part[], string[]>;
  /** Number of windows and reservations of each organisation. */
  private readonly held: Database<number, string[]>;
  private readonly maxBytes: number;
  private readonly sharePercent: number;
  private bytes = 0;
  private bytesPerEntry = 0;
  private claims = 0;
  private isFull = false;
  private sweptTo: string[] = [];
  private sweptReservationsTo: string[] = [];

  /**
   * @param maxBytes of both tables; measured now and then, so it may be exceeded slightly.
   * @param sharePercent maximum share of an organisation in the space that the others leave.
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
   * Grants all claims or none.
   * @param now Unix milliseconds.
   * @param reservation name for the estimates, used once; its first part is the organisation.
   * @throws ShareTakenError when the organisation may start nothing new; Error when there is no space for something new, or the tables
   * cannot be written.
   */
  claim(claims: readonly Claim[], now: number, reservation: readonly [string, string]): Verdict {
    this.claims += 1;
    return this.environment.write(() => {
      if (this.claims % claimsBetweenSweeps === 0) this.sweep(now);
      const [organizationId] = reservation;
      const found = claims.map((claim) => this.windowOf(claim, now, organizationId));
      const refused = claims.findIndex((claim, index) => (found[index]?.window.used ?? 0n) + claim.amount > claim.quota.amount);
      const granted = refused === -1;
      if (granted && found.some(({ isNew }, index) => isNew || claims[index]?.isEstimate === true)) this.checkSpace(organizationId);
      const reserved = granted && this.record(claims, found, reservation);
      const states = found.map(({ window }, index): WindowState => {
        const { quota, amount } = claims[index] ?? noClaim;
        const left = quota.amount - window.used - (granted ? amount : 0n);
        return { left: left < 0n || index === refused ? 0n : left, endsAt: window.endsAt };
      });
      return { granted, states, refused: granted ? undefined : refused, reserved };
    });
  }

  /** Replaces estimates by final amounts. Windows that have ended, and reservations that were settled before, do not change. */
  settle(settlements: readonly Settlement[]): void {
    if (settlements.length === 0) return;
    this.environment.write(() => {
      for (const { reservation, amount } of settlements) {
        const key = [...reservation];
        const parts = this.reservations.get(key);
        if (parts === undefined) continue;
        this.reservations.removeSync(key);
        this.addToHeld(reservation[0], -1);
        if (amount !== undefined) for (const part of parts) this.replace(part, amount);
      }
    });
  }

  /** Records granted claims. @returns whether they include estimates. */
  private record(claims: readonly Claim[], found: readonly Found[], reservation: readonly [string, string]): boolean {
    const parts = new Map<string, Part>();
    const started = new Set<string>();
    for (const [index, { key, window, isNew }] of found.entries()) {
      const { amount, isEstimate } = claims[index] ?? noClaim;
      // Two quotas on one count have found the same window: it is written twice and counted once.
      this.table.putSync(key, { ...window, used: window.used + amount });
      const { startedAt, endsAt } = window;
      if (isEstimate === true) parts.set(JSON.stringify(key), { key, startedAt, endsAt, amount });
      if (isNew) started.add(key.join('/'));
    }
    const reserved = parts.size > 0;
    if (reserved) this.reservations.putSync([...reservation], [...parts.values()]);
    this.addToHeld(reservation[0], started.size + (reserved ? 1 : 0));
    return reserved;
  }

  /** Within a transaction. */
  private addToHeld(organizationId: string, more: number): void {
    if (more !== 0) this.held.putSync([organizationId], Math.max(0, (this.held.get([organizationId]) ?? 0) + more));
  }

  /** @throws when nothing new may begin. */
  private checkSpace(organizationId: string): void {
    if (this.isFull) throw new Error(fullMessage);
    const own = (this.held.get([organizationId]) ?? 0) * this.bytesPerEntry;
    const left = this.maxBytes - Math.max(0, this.bytes - own);
    if (own >= (left * this.sharePercent) / 100) throw new ShareTakenError(this.sharePercent);
  }

  private replace({ key, startedAt, amount }: Part, finalAmount: bigint): void {
    const window = this.table.get(key);
    if (window?.startedAt !== startedAt) return;
    const used = window.used - amount + finalAmount;
    this.table.putSync(key, { ...window, used: used < 0n ? 0n : used });
  }

  private windowOf({ name, quota }: Claim, now: number, organizationId: string): Found {
    const key = [fingerprint(name), 'calendar' in quota ? quota.calendar.key : String(quota.windowMs)];
    const window = this.table.get(key);
    // A window must not last much longer because the clock was set back. One of a calendar may have begun a moment after this claim was made.
    const runs = window !== undefined && now < window.endsAt && now >= window.startedAt - (window.endsAt - window.startedAt);
    const owner = window === undefined ? organizationId : window.owner;
    const next = { ...boundsOf(quota, now), used: 0n, owner };
    return { key, window: runs ? window : next, isNew: window === undefined };
  }

  private sweep(now: number): void {
    this.sweptTo = sweepTable(this.table, this.sweptTo, (key, { endsAt, owner }) => {
      if (endsAt > now) return;
      this.table.removeSync(key);
      if (owner !== undefined) this.addToHeld(owner, -1);
    });
    this.sweptReservationsTo = sweepTable(this.reservations, this.sweptReservationsTo, (key, parts) => {
      if (parts.some(({ endsAt }) => endsAt > now)) return;
      this.reservations.removeSync(key);
      this.addToHeld(key[0] ?? '', -1);
    });
    this.measure();
  }

  private measure(): void {
    this.bytes = bytesOf(this.table) + bytesOf(this.reservations);
    this.bytesPerEntry = this.bytes / Math.max(1, entriesOf(this.table) + entriesOf(this.reservations));
    this.isFull = this.bytes >= this.maxBytes;
  }
}

/** The organisation has its share of the space for windows and reservations. */
export class ShareTakenError extends Error {
  readonly percent: number;

  constructor(percent: number) {
    super('the organisation has its share of the windows of limits');
    this.name = 'ShareTakenError';
    this.percent = percent;
  }
}

function boundsOf(quota: Quota, now: number): { readonly startedAt: number; readonly endsAt: number } {
  if ('calendar' in quota) return { startedAt: quota.calendar.startsAt, endsAt: quota.calendar.endsAt };
  return { startedAt: now, endsAt: now + quota.windowMs };
}

const noClaim: Claim = { name: [], quota: { amount: 0n, windowMs: 0 }, amount: 0n };

const fullMessage = 'the limits that run take all of GATELOG_STATE_MAX_BYTES';

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

/** Visits some entries from a key on; `clear` removes the ended ones. @returns the key to continue from. */
function sweepTable<Value>(table: Database<Value, string[]>, from: string[], clear: (key: string[], value: Value) => void): string[] {
  const entries = [...table.getRange({ start: from, limit: sweepLength })];
  for (const { key, value } of entries) clear(key, value);
  return entries.length < sweepLength ? [] : (entries.at(-1)?.key ?? []);
}

/** Names contain callers' text, also from bodies that must never touch a disk, so only their hash is stored. */
function fingerprint(name: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(name)).digest('base64url');
}
