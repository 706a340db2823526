import { setTimeout as wait } from 'node:timers/promises';
import type { ErasedExchange } from '../../metadata/erasures.ts';
import type { Erasure } from '../../model/erasure.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { ExchangeIndex, TrackedExchange } from '../series/exchange.ts';

/** A user whose records must not be stored. Plain data: it is sent to a thread. */
export type ErasedUser = Pick<Erasure, 'number' | 'userId' | 'erasedAt'>;

/** Running erasures, as the ingest sees them. */
export interface ActiveErasures {
  /** Undefined when none runs for the organisation. */
  readonly of: (organizationId: OrganizationId) => readonly ErasedUser[] | undefined;
  /** Saves which exchanges a batch leaves out; durable on return, idempotent. */
  readonly save: (erased: readonly ErasedExchange[]) => Promise<void>;
  /** Whether an earlier batch left it out. */
  readonly wasErased: (exchange: TrackedExchange) => Promise<boolean>;
}

export class RunningErasures {
  private readonly running = new Map<OrganizationId, readonly ErasedUser[]>();

  add({ organizationId, number, userId, erasedAt }: Erasure): void {
    this.running.set(organizationId, [...(this.running.get(organizationId) ?? []), { number, userId, erasedAt }]);
  }

  remove({ organizationId, number }: Erasure): void {
    const left = (this.running.get(organizationId) ?? []).filter((erasure) => erasure.number !== number);
    if (left.length === 0) this.running.delete(organizationId);
    else this.running.set(organizationId, left);
  }

  of(organizationId: OrganizationId): readonly ErasedUser[] | undefined {
    return this.running.get(organizationId);
  }
}

/**
 * Finds the erasure that covers a record: its user by the header and by the record, where redaction may have changed the name, and its
 * time in Unix milliseconds.
 */
export function erasureOf(
  erasures: readonly ErasedUser[] | undefined,
  { users, createdAt }: { readonly users: readonly (string | undefined)[]; readonly createdAt: number },
): ErasedUser | undefined {
  return erasures?.find(({ userId, erasedAt }) => users.includes(userId) && createdAt <= erasedAt);
}

/** Max milliseconds by which an erasure reaches ahead of the clock: it does not cover calls from a time when the clock was years ahead. */
const maxAheadMs = 86_400_000;

/** Arrival times of recorded calls, by the clock of their time; Unix milliseconds. */
export interface Arrivals {
  /** No call recorded by an earlier process arrived later. */
  readonly latestBefore: number;
  readonly inFlight: Pick<ExchangeIndex, 'latestOpenedAt'>;
}

/**
 * The time up to which a new erasure reaches, Unix milliseconds: now, or after the clock was set back the arrival of the latest recorded
 * call, because every call from before the order must go.
 */
export function erasureCutoff(now: number, { latestBefore, inFlight }: Arrivals): number {
  const latest = Math.max(latestBefore, inFlight.latestOpenedAt);
  return Math.max(now, Math.min(latest, now + maxAheadMs));
}

export interface SpoolToDrain {
  /** Reads everything that is in the spool now. */
  readonly catchUp: () => Promise<void>;
  readonly inFlight: ExchangeIndex;
}

const firstLookMs = 20;
const maxLookMs = 1000;

/**
 * Waits until no exchange that is in the spool now can still produce a record of the user: the user's own and those without a known user,
 * open calls included. @throws the abort reason of `signal`.
 */
export async function waitForSpoolDrain({ catchUp, inFlight }: SpoolToDrain, erasure: Erasure, signal: AbortSignal): Promise<void> {
  await catchUp();
  let left = inFlight.all().filter((exchange) => mayBeOf(erasure, exchange));
  for (let pauseMs = firstLookMs; left.length > 0; pauseMs = Math.min(pauseMs * 2, maxLookMs)) {
    await wait(pauseMs, undefined, { signal });
    left = left.filter((exchange) => !exchange.isSettled());
  }
}

function mayBeOf({ organizationId, userId, erasedAt }: Erasure, exchange: TrackedExchange): boolean {
  const mayBeUsers = exchange.userId === '' || exchange.userId === userId;
  return exchange.organizationId === organizationId && mayBeUsers && exchange.openedAt <= erasedAt;
}
