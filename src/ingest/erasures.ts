import { setTimeout as wait } from 'node:timers/promises';
import type { ErasedExchange } from '../metadata/erasures.ts';
import type { Erasure } from '../model/erasure.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { ExchangeIndex, TrackedExchange } from './series/exchange.ts';

/** Whose records are not to be stored. Plain data: it crosses into a thread. */
export type ErasedUser = Pick<Erasure, 'number' | 'userId' | 'erasedAt'>;

/** Erasures that run: what the ingest takes out for them on its way to the store. */
export interface ActiveErasures {
  /** Undefined when none runs for the organisation. */
  readonly of: (organizationId: OrganizationId) => readonly ErasedUser[] | undefined;
  /** Writes down what a batch leaves out; durable when it returns, and may be repeated. */
  readonly keep: (erased: readonly ErasedExchange[]) => Promise<void>;
  /** Whether a batch has left it out before. */
  readonly wasErased: (exchange: TrackedExchange) => Promise<boolean>;
}

/** The erasures that run, by organisation. */
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
 * Finds the erasure that takes out a record of this time, Unix milliseconds.
 * @param users whose it is: as its header has it, and as the record does, where redaction may have changed the name.
 */
export function erasureOf(
  erasures: readonly ErasedUser[] | undefined,
  { users, createdAt }: { readonly users: readonly (string | undefined)[]; readonly createdAt: number },
): ErasedUser | undefined {
  return erasures?.find(({ userId, erasedAt }) => users.includes(userId) && createdAt <= erasedAt);
}

/** No erasure reaches further ahead of the clock, milliseconds: what came while that was years ahead is not taken for the present. */
const maxAheadMs = 86_400_000;

/** When the calls came that are on record already, by the clock that there was then; Unix milliseconds. */
export interface Arrivals {
  /** None that an earlier process has recorded came later. */
  readonly latestBefore: number;
  readonly inFlight: Pick<ExchangeIndex, 'latestOpenedAt'>;
}

/**
 * The time up to which an erasure that is ordered now reaches, Unix milliseconds. That is now, and where the clock was set back since, when the latest
 * call came that is on record: what came before the order has to go whatever the clock said then.
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
 * Waits until no exchange that the spool has now can still bring a record of the user: its own, and those that have not said whose they are,
 * calls that are still open among them. @throws the abort reason when told to stop.
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
  const isTheirs = exchange.userId === '' || exchange.userId === userId;
  return exchange.organizationId === organizationId && isTheirs && exchange.openedAt <= erasedAt;
}
