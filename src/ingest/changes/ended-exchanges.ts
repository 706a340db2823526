import { setTimeout as wait } from 'node:timers/promises';
import type { OrganizationId } from '../../model/ids.ts';
import type { ExchangeIndex } from '../series/exchange.ts';

export interface EndedExchangesPorts {
  /** Reads everything that is in the spool now. */
  readonly catchUp: () => Promise<void>;
  readonly inFlight: ExchangeIndex;
}

const firstLookMs = 20;
const maxLookMs = 1000;

/**
 * Waits until the organisation's exchanges that have ended by now have left the spool. Open calls are not waited for: nobody knows yet what
 * their records will be. @throws the abort reason of `signal`.
 */
export async function whenEndedAreStored(
  { catchUp, inFlight }: EndedExchangesPorts,
  organizationId: OrganizationId,
  signal: AbortSignal,
): Promise<void> {
  await catchUp();
  let left = inFlight.all().filter((exchange) => exchange.organizationId === organizationId && exchange.endsAt !== undefined);
  for (let pauseMs = firstLookMs; left.length > 0; pauseMs = Math.min(pauseMs * 2, maxLookMs)) {
    await wait(pauseMs, undefined, { signal });
    left = left.filter((exchange) => !exchange.isSettled());
  }
}
