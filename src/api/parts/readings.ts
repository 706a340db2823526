import type { OrganizationId } from '../../model/ids.ts';
import { systemClock } from '../../platform/clock.ts';
import type { BodyReading } from '../../reading/body-runs.ts';
import type { RunStatement } from '../../store/read/run-statement.ts';
import { CallMemory, type ResponseMemory } from '../http/response-memory.ts';

interface ReadParts {
  readonly store: { readonly run: RunStatement };
  readonly answerMemory: ResponseMemory;
}

/** Reads stored requests of an organisation with their bodies, within the memory that answers share. */
export function readingsOf({ store, answerMemory }: ReadParts): (organizationId: OrganizationId, signal: AbortSignal) => BodyReading {
  return (tenant, signal) => ({
    run: store.run,
    memory: new CallMemory(answerMemory, signal).ownedBy(tenant),
    tenant,
    signal,
    monotonic: systemClock.monotonic,
  });
}
