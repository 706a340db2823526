import { setTimeout as wait } from 'node:timers/promises';
import type { OrganizationId } from '../../model/ids.ts';
import { isAtomicSeries } from '../../spool/import-series.ts';
import type { ExchangeIndex, TrackedExchange } from '../series/exchange.ts';

/** The drain, as waiting for it uses it. */
interface SpoolInFlight {
  /** Reads everything that is in the spool now. */
  catchUp(): Promise<void>;
  readonly inFlight: ExchangeIndex;
}

const firstLookMs = 20;
const maxLookMs = 1000;
/** Calls of so long ago show that there are calls now. */
const recentMs = 2000;
/** Within which a call that has arrived is in the spool, unless its body comes slowly. */
const openingMs = 100;

/**
 * Waits until the organisation's exchanges that have ended by now have left the spool. Open calls are not waited for: nobody knows yet what
 * their records will be. @throws the abort reason of `signal`.
 */
export async function whenEndedAreStored(drain: SpoolInFlight, organizationId: OrganizationId, signal: AbortSignal): Promise<void> {
  await drain.catchUp();
  let left = drain.inFlight.all().filter((exchange) => exchange.organizationId === organizationId && exchange.endsAt !== undefined);
  for (let pauseMs = firstLookMs; left.length > 0; pauseMs = Math.min(pauseMs * 2, maxLookMs)) {
    await wait(pauseMs, undefined, { signal });
    left = left.filter((exchange) => !exchange.isSettled());
  }
}

export interface ArrivalsBefore {
  /** Unix milliseconds, exclusive. */
  readonly beforeMs: number;
  /** How long to wait for calls that have ended. */
  readonly maxWaitMs: number;
}

/**
 * Waits a while until the organisation's calls that arrived before a time and have ended are stored. Imports and replays are not waited
 * for: they arrived at any time. @returns when the oldest call arrived that is open or not stored even then, Unix milliseconds; undefined
 * without one. @throws the abort reason of `signal`; GatelogError when the spool has too much to tell.
 */
export async function oldestUnstored(
  drain: SpoolInFlight,
  organizationId: OrganizationId,
  { beforeMs, maxWaitMs }: ArrivalsBefore,
  signal: AbortSignal,
): Promise<number | undefined> {
  await drain.catchUp();
  // A call that arrived just now may not be in the spool yet.
  if (drain.inFlight.latestOpenedAt >= beforeMs - recentMs) {
    await wait(openingMs, undefined, { signal });
    await drain.catchUp();
  }
  const endsAt = performance.now() + maxWaitMs;
  for (let pauseMs = firstLookMs; ; pauseMs = Math.min(pauseMs * 2, maxLookMs)) {
    const left = drain.inFlight.all().filter((exchange) => exchange.organizationId === organizationId && isCallBefore(exchange, beforeMs));
    const hasEnded = left.some(({ endsAt: end }) => end !== undefined);
    if (!hasEnded || performance.now() > endsAt) return left.length === 0 ? undefined : Math.min(...left.map(({ openedAt }) => openedAt));
    await wait(pauseMs, undefined, { signal });
    await drain.catchUp();
  }
}

/** A beginning that cannot be read becomes a dead letter. */
function isCallBefore({ openedAt, series }: TrackedExchange, beforeMs: number): boolean {
  return openedAt !== 0 && openedAt < beforeMs && !isAtomicSeries(series);
}
