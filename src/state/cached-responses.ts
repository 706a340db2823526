import { randomInt } from 'node:crypto';
import type { Database } from 'lmdb';
import type { LmdbEnvironment } from './lmdb.ts';

/** A reply as it is kept: decoded, to be encoded again for each caller. Times are Unix milliseconds. */
export interface CachedResponse {
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
  readonly maxBytes: number;
  /** A larger reply is not kept. */
  readonly maxResponseBytes: number;
}

/** What was found under a key: a reply, or the places, at least one, that a new one may take. */
export type Lookup = { readonly hit: CachedResponse; readonly place: number } | { readonly freePlaces: readonly number[] };

/** What is asked of a reply again and again, beside it: its body may be megabytes, and calls that wait for others look every few milliseconds. */
interface Facts extends Pick<CachedResponse, 'requestId' | 'userId' | 'createdAt' | 'expiresAt'> {
  readonly bytes: number;
}

interface Kept extends CachedResponse {
  readonly bytes: number;
  /** The last use, in what an earlier version wrote. */
  readonly usedAt?: number;
}

/** When a reply was used last, beside it: to write that down must not cost writing its body again. */
interface LastUse {
  readonly requestId: string;
  readonly usedAt: number;
}

type Place = string[];

/** Uses are written down together: so often, when there are so many of them, and before anything is forgotten for its age. */
const useStepMs = 1000;
const maxUnwritten = 256;
/** A clock that was set back makes replies that are younger than now. Up to so much of that is a correction, milliseconds; beyond, nobody knows their age. */
const maxAheadMs = 60_000;
/** Estimated bytes of a response besides its body and its headers. */
const overheadBytes = 512;
/** Responses that are removed in one transaction, for which calls of all workers wait. */
const forgottenAtOnce = 32;
const totalKey: Place = ['total'];

/**
 * Replies that were given before, shared by all workers of a machine. Bounded in bytes.
 *
 * Invariant: each response has its facts and one entry in the table of uses, which is ordered by last use; the total is the sum of all. They change in
 * one transaction. Last uses are flushed at most once a second, so another worker may see one up to a second old.
 */
export class CachedResponses {
  private readonly environment: LmdbEnvironment;
  private readonly limits: CacheLimits;
  private readonly responses: Database<Kept, Place>;
  private readonly facts: Database<Facts, Place>;
  private readonly uses: Database<boolean, (string | number)[]>;
  private readonly lastUses: Database<LastUse, Place>;
  private readonly totals: Database<number, Place>;
  /** Uses that are not written down yet, by their place, the oldest first. */
  private readonly unwritten = new Map<string, LastUse & { readonly at: Place }>();
  private writtenAt = 0;

  constructor(environment: LmdbEnvironment, limits: CacheLimits) {
    this.environment = environment;
    this.limits = limits;
    this.responses = environment.table<Kept, Place>('replies');
    this.facts = environment.table<Facts, Place>('facts');
    this.uses = environment.table<boolean, (string | number)[]>('uses');
    this.lastUses = environment.table<LastUse, Place>('last-uses');
    this.totals = environment.table<number, Place>('totals');
  }

  /**
   * Looks for a reply. A place is free when its reply has expired or is older than `maxAgeMs`, and when the clock was set back behind its beginning.
   * @param now Unix milliseconds.
   */
  find(key: CacheKey, now: number, maxAgeMs = Number.POSITIVE_INFINITY): Lookup {
    const freePlaces: number[] = [];
    const pick = key.places === 1 ? 0 : randomInt(key.places);
    let picked: Facts | undefined;
    for (let place = 0; place < key.places; place += 1) {
      const facts = this.factsOf(placeOf(key, place));
      if (facts === undefined || !isOf(now, facts) || now - facts.createdAt >= maxAgeMs) freePlaces.push(place);
      else if (place === pick) picked = facts;
    }
    if (picked === undefined || freePlaces.length > 0) return { freePlaces };
    const hit = this.responses.get(placeOf(key, pick));
    // An earlier version that ran in between knows nothing of facts.
    if (hit?.requestId !== picked.requestId) return { freePlaces: [pick] };
    this.use(placeOf(key, pick), { requestId: hit.requestId, usedAt: now });
    return { hit, place: pick };
  }

  /** Keeps a reply in a place, instead of what is there. @returns false when it is too large to be kept. */
  keep(key: CacheKey, place: number, response: CachedResponse, now: number): boolean {
    const bytes = response.headers.reduce((sum, part) => sum + part.length, response.body.length + overheadBytes);
    if (bytes > this.limits.maxResponseBytes || bytes > this.limits.maxBytes) return false;
    const at = placeOf(key, place);
    this.environment.write(() => {
      let total = this.total() - this.drop(at) + bytes;
      if (total > this.limits.maxBytes) this.writeUses(now);
      while (total > this.limits.maxBytes) {
        const [oldest] = [...this.uses.getKeys({ limit: 1 })];
        if (oldest === undefined) break;
        total -= this.drop(oldest.slice(1).map(String));
        // Whatever stands there: else it would be the oldest for ever.
        this.uses.removeSync(oldest);
      }
      this.responses.putSync(at, { ...response, bytes });
      const { requestId, userId, createdAt, expiresAt } = response;
      this.facts.putSync(at, { requestId, userId, createdAt, expiresAt, bytes });
      this.lastUses.putSync(at, { requestId: response.requestId, usedAt: now });
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
      const facts = this.factsOf(key);
      return facts !== undefined && (userId === undefined || facts.userId === userId);
    });
    const freed = own.reduce((sum, key) => sum + this.drop(key), 0);
    this.totals.putSync(totalKey, this.total() - freed);
    return own.length;
  }

  /** Bytes of all responses. */
  total(): number {
    return this.totals.get(totalKey) ?? 0;
  }

  private keysOf(organizationId: string, userId: string | undefined): Place[] {
    const all = this.responses.getKeys({ start: [organizationId], end: [organizationId, '\u{10ffff}'] });
    return [...all].filter((key) => userId === undefined || this.factsOf(key)?.userId === userId);
  }

  /** What an earlier version wrote has them with its body alone. */
  private factsOf(at: Place): Facts | undefined {
    return this.facts.get(at) ?? this.responses.get(at);
  }

  private use(at: Place, use: LastUse): void {
    const name = at.join('/');
    this.unwritten.delete(name);
    this.unwritten.set(name, { ...use, at });
    const isTime = this.unwritten.size > maxUnwritten || use.usedAt - this.writtenAt >= useStepMs;
    if (isTime && this.environment.hasFreeSpace()) this.environment.write(() => this.writeUses(use.usedAt));
    const [oldest] = this.unwritten.size > maxUnwritten ? this.unwritten.keys() : [];
    if (oldest !== undefined) this.unwritten.delete(oldest);
  }

  /** Within a transaction. What has taken a place since was not used by that. */
  private writeUses(now: number): void {
    for (const { at, requestId, usedAt } of this.unwritten.values()) {
      const before = this.lastUseOf(at);
      if (before?.requestId !== requestId || before.usedAt >= usedAt) continue;
      this.uses.removeSync([before.usedAt, ...at]);
      this.uses.putSync([usedAt, ...at], true);
      this.lastUses.putSync(at, { requestId, usedAt });
    }
    this.unwritten.clear();
    this.writtenAt = now;
  }

  private lastUseOf(at: Place): LastUse | undefined {
    const last = this.lastUses.get(at);
    if (last !== undefined) return last;
    const kept = this.responses.get(at);
    return kept?.usedAt === undefined ? undefined : { requestId: kept.requestId, usedAt: kept.usedAt };
  }

  /** Removes a reply and its use, within a transaction; the total is the caller's. @returns the bytes that it took. */
  private drop(at: Place): number {
    const facts = this.factsOf(at);
    if (facts === undefined) return 0;
    const last = this.lastUseOf(at);
    this.responses.removeSync(at);
    if (last !== undefined) this.uses.removeSync([last.usedAt, ...at]);
    this.lastUses.removeSync(at);
    this.facts.removeSync(at);
    return facts.bytes;
  }
}

function isOf(now: number, { createdAt, expiresAt }: Facts): boolean {
  return now < expiresAt && createdAt <= now + maxAheadMs;
}

function placeOf({ organizationId, fingerprint }: CacheKey, place: number): Place {
  return [organizationId, fingerprint, String(place)];
}
