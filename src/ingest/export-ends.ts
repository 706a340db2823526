import type { OrganizationId } from '../model/ids.ts';
import type { Drain } from './drain.ts';
import { oldestUnstored } from './changes/ended-exchanges.ts';

/** How long an export waits for calls that have ended before it. */
const maxWaitMs = 3000;

type OldestUnstored = (organizationId: OrganizationId, beforeMs: number, signal: AbortSignal) => Promise<number | undefined>;

/** Waits a little until the ended calls before a time are stored. @returns when the oldest arrived that is not, Unix milliseconds. */
export function oldestUnstoredOf(drain: Pick<Drain, 'catchUp' | 'inFlight'>): OldestUnstored {
  return (organizationId, beforeMs, signal) => oldestUnstored(drain, organizationId, { beforeMs, maxWaitMs }, signal);
}
