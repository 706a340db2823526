import { randomInt } from 'node:crypto';
import type { Database } from 'lmdb';
import type { Environment } from './environment.ts';

/** A reply as it is kept: decoded, to be encoded again for each caller. Times are Unix milliseconds. */
export interface CachedReply {
  /** Identifier of the exchange that it answered first. */
  readonly requestId: string;
  readonly userId: string;
  readonly status: number;
  /** Header lines, name and value in turn, without those of the connection, the length and the coding. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  /** When it was whole. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** How long the provider took, milliseconds. */
  readonly latencyMs: number;
}

/** Where a reply belongs. Replies of one organisation are never given to another. */
export interface CacheKey {
  readonly organizationId: string;
  /** Fingerprint of all that has to be equal. */
  readonly fingerprint: string;
  /** So many replies are kept for one key before any of them is given; one of them is then picked by chance. At least 1. */
  readonly places: number;
}

export interface CacheLimits {
  /** Bytes of all replies together; the least recently used go first. */
  readonly mostBytes: number;
  /** A larger reply is not kept. */
  readonly mostReplyBytes: number;
}

/** What was found under a key: a reply, or the places, at least one, that a new one may take. */
export type Lookup = { readonly hit: CachedReply; readonly place: number } | { readonly freePlaces: readonly number[] };

interface Kept extends CachedReply {
  readonly usedAt: number;
  readonly bytes: number;
}

type Place = string[];

/** A use is written down at most so often for one reply: a hit costs a write only then. */
const useStepMs = 60_000;
/** A clock that was set back makes replies that are younger than now. Up to so much of that is a correction, milliseconds; beyond, nobody knows their age. */
const mostAheadMs = 60_000;
/** What a reply takes besides its body and its head. */
const overheadBytes = 512;
/** Replies that are forgotten in one transaction: calls of all workers wait for it. */
const forgottenAtOnce = 32;
const totalKey: Place = ['total'];

/**
 * Replies that were given before, shared by all workers of a machine. Bounded in bytes.
 *
 * Invariant: a table of uses has one entry for each reply, in the order of their last use, and the total is the sum of all kept: they change in
 * one transaction.
 */
export class CachedReplies {
  private readonly environment: Environment;
  private readonly limits: CacheLimits;
  private readonly replies: Database<Kept, Place>;
  private readonly uses: Database<boolean, (string | number)[]>;
  private readonly totals: Database<number, Place>;

  constructor(environment: Environment, limits: CacheLimits) {
    this.environment = environment;
    this.limits = limits;
    this.replies = environment.table<Kept, Place>('replies');
    this.uses = environment.table<boolean, (string | number)[]>('uses');
    this.totals = environment.table<number, Place>('totals');
  }

  /**
   * Looks for a reply. A place is free when its reply has expired or is older than `maxAgeMs`, and when the clock was set back behind its beginning.
   * @param now Unix milliseconds.
   */
  find(key: CacheKey, now: number, maxAgeMs = Number.POSITIVE_INFINITY): Lookup {
    const freePlaces: number[] = [];
    const pick = key.places === 1 ? 0 : randomInt(key.places);
    let picked: Kept | undefined;
    for (let place = 0; place < key.places; place += 1) {
      const kept = this.replies.get(placeOf(key, place));
      if (kept === undefined || !isOf(now, kept) || now - kept.createdAt >= maxAgeMs) freePlaces.push(place);
      else if (place === pick) picked = kept;
    }
    if (picked === undefined || freePlaces.length > 0) return { freePlaces };
    if (now - picked.usedAt >= useStepMs && this.environment.hasRoom()) this.use(placeOf(key, pick), picked, now);
    return { hit: picked, place: pick };
  }

  /** Keeps a reply in a place, instead of what is there. @returns false when it is too large to be kept. */
  keep(key: CacheKey, place: number, reply: CachedReply, now: number): boolean {
    const bytes = reply.headers.reduce((sum, part) => sum + part.length, reply.body.length + overheadBytes);
    if (bytes > this.limits.mostReplyBytes || bytes > this.limits.mostBytes) return false;
    const at = placeOf(key, place);
    this.environment.write(() => {
      let total = this.total() - this.drop(at) + bytes;
      while (total > this.limits.mostBytes) {
        const [oldest] = [...this.uses.getKeys({ limit: 1 })];
        if (oldest === undefined) break;
        total -= this.drop(oldest.slice(1).map(String));
      }
      this.replies.putSync(at, { ...reply, usedAt: now, bytes });
      this.uses.putSync([now, ...at], true);
      this.totals.putSync(totalKey, total);
    });
    return true;
  }

  /** How many replies of an organisation are kept, of one user only when one is named. */
  count(organizationId: string, userId?: string): number {
    return this.keysOf(organizationId, userId).length;
  }

  /** Forgets replies of an organisation, of one user only when one is named. @returns how many. */
  forget(organizationId: string, userId?: string): number {
    const keys = this.keysOf(organizationId, userId);
    let forgotten = 0;
    for (let start = 0; start < keys.length; start += forgottenAtOnce) {
      forgotten += this.environment.write(() => this.forgetNow(keys.slice(start, start + forgottenAtOnce), userId));
    }
    return forgotten;
  }

  /** Within a transaction: what is in a place by now may be another's. */
  private forgetNow(keys: readonly Place[], userId: string | undefined): number {
    const own = keys.filter((key) => {
      const kept = this.replies.get(key);
      return kept !== undefined && (userId === undefined || kept.userId === userId);
    });
    const freed = own.reduce((sum, key) => sum + this.drop(key), 0);
    this.totals.putSync(totalKey, this.total() - freed);
    return own.length;
  }

  /** Bytes of all that is kept. */
  total(): number {
    return this.totals.get(totalKey) ?? 0;
  }

  private keysOf(organizationId: string, userId: string | undefined): Place[] {
    const keys: Place[] = [];
    // TRICKY: one after the other, as all bodies at once may be gigabytes.
    for (const { key, value } of this.replies.getRange({ start: [organizationId], end: [organizationId, '\u{10ffff}'] })) {
      if (userId === undefined || value.userId === userId) keys.push(key);
    }
    return keys;
  }

  private use(at: Place, seen: Kept, now: number): void {
    this.environment.write(() => {
      const kept = this.replies.get(at);
      if (kept === undefined || kept.requestId !== seen.requestId) return;
      this.uses.removeSync([kept.usedAt, ...at]);
      this.uses.putSync([now, ...at], true);
      this.replies.putSync(at, { ...kept, usedAt: now });
    });
  }

  /** Removes a reply and its use, within a transaction; the total is the caller's. @returns the bytes that it took. */
  private drop(at: Place): number {
    const kept = this.replies.get(at);
    if (kept === undefined) return 0;
    this.replies.removeSync(at);
    this.uses.removeSync([kept.usedAt, ...at]);
    return kept.bytes;
  }
}

function isOf(now: number, { createdAt, expiresAt }: Kept): boolean {
  return now < expiresAt && createdAt <= now + mostAheadMs;
}

function placeOf({ organizationId, fingerprint }: CacheKey, place: number): Place {
  return [organizationId, fingerprint, String(place)];
}
