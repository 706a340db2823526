import { GatelogError } from '../model/errors.ts';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import type { Drain } from './drain.ts';

/** A gateway worker stamps the end of an exchange so long before its frame is in the spool, at most. */
const writingMs = 1000;

/** Every exchange that ended before this time, Unix milliseconds, is in the store. @returns undefined while the spool has too much to tell. */
export async function freshUntil(drain: Pick<Drain, 'catchUp' | 'oldestWaitingMs'>, now: () => number): Promise<number | undefined> {
  const readAt = now();
  try {
    await drain.catchUp();
  } catch (error) {
    if (error instanceof GatelogError) return undefined;
    throw error;
  }
  return readAt - Math.max(writingMs, drain.oldestWaitingMs(readAt));
}

/** Tells which requests' records are still in flight to the store. */
export function inFlightIn(drain: Pick<Drain, 'catchUp' | 'inFlight'>) {
  return async (organizationId: OrganizationId, requestIds: readonly RequestId[]): Promise<readonly RequestId[]> => {
    await drain.catchUp();
    return requestIds.filter((requestId) => drain.inFlight.find(organizationId, requestId) !== undefined);
  };
}
