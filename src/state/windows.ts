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
  /** To settle with; the windows in which the amounts were taken. */
  readonly taken: readonly Taken[];
}

/** An amount that was taken from a window. */
export interface Taken {
  readonly key: string[];
  readonly startedAt: number;
  readonly amount: bigint;
}

interface Window {
  readonly startedAt: number;
  readonly endsAt: number;
  readonly used: bigint;
}

/** The table takes keys of some 2,000 bytes; a longer name goes by its fingerprint. */
const longestName = 500;
/** Windows looked at when some are cleared away, and after how many claims that is done. */
const sweepLength = 64;
const claimsBetweenSweeps = 64;

/**
 * Counts what is used up within fixed windows, for all workers of a machine together.
 *
 * Invariant: within one window never more than the quota is granted, whatever the workers do at once. A window that nobody claims from any more
 * is cleared away later.
 */
export class Windows {
  private readonly table: Database<Window, string[]>;
  private claims = 0;
  private sweptTo: string[] = [];

  constructor(environment: Environment) {
    this.table = environment.openDB<Window, string[]>({ name: 'windows' });
  }

  /** Takes all claims or none. @param now Unix milliseconds. */
  claim(claims: readonly Claim[], now: number): Verdict {
    this.claims += 1;
    return this.table.transactionSync(() => {
      if (this.claims % claimsBetweenSweeps === 0) this.sweep(now);
      const found = claims.map((claim) => this.windowOf(claim, now));
      const refused = claims.findIndex((claim, index) => (found[index]?.window.used ?? 0n) + claim.amount > claim.quota.amount);
      const granted = refused === -1;
      const taken: Taken[] = [];
      const standings = claims.map((claim, index): Standing => {
        const { key, window } = found[index] ?? this.windowOf(claim, now);
        const used = window.used + (granted ? claim.amount : 0n);
        if (granted) {
          this.table.putSync(key, { ...window, used });
          taken.push({ key, startedAt: window.startedAt, amount: claim.amount });
        }
        const left = claim.quota.amount - used;
        return { left: left < 0n || index === refused ? 0n : left, endsAt: window.endsAt };
      });
      return { granted, standings, refused: granted ? undefined : refused, taken };
    });
  }

  /** Replaces amounts that were taken by what it came to; a window that has ended meanwhile is not changed. */
  settle(taken: readonly Taken[], amountOf: (taken: Taken) => bigint): void {
    if (taken.length === 0) return;
    this.table.transactionSync(() => {
      for (const part of taken) {
        const window = this.table.get(part.key);
        if (window?.startedAt !== part.startedAt) continue;
        const used = window.used - part.amount + amountOf(part);
        this.table.putSync(part.key, { ...window, used: used < 0n ? 0n : used });
      }
    });
  }

  private windowOf({ name, quota }: Claim, now: number): { key: string[]; window: Window } {
    const key = [...shortened(name), String(quota.windowMs)];
    const window = this.table.get(key);
    // A clock that was set back must not make a window longer than it is.
    const runs = window !== undefined && now < window.endsAt && now >= window.startedAt - quota.windowMs;
    return { key, window: runs ? window : { startedAt: now, endsAt: now + quota.windowMs, used: 0n } };
  }

  private sweep(now: number): void {
    const entries = [...this.table.getRange({ start: this.sweptTo, limit: sweepLength })];
    for (const { key, value } of entries) if (value.endsAt <= now) this.table.removeSync(key);
    this.sweptTo = entries.length < sweepLength ? [] : (entries.at(-1)?.key ?? []);
  }
}

function shortened(name: readonly string[]): readonly string[] {
  if (name.every((part) => part.length <= longestName / name.length)) return name;
  return ['long', createHash('sha256').update(JSON.stringify(name)).digest('hex')];
}
