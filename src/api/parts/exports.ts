import { GatelogError } from '../../model/errors.ts';
import { FairSemaphore } from '../../platform/fair-semaphore.ts';
import type { OrganizationId } from '../../model/ids.ts';

/** Exports at once, of all organisations and of one. Each holds a few megabytes for as long as its client reads. */
const maxExports = 8;
const maxExportsOfOwner = 4;

export interface Exports {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** How many run at once. */
  readonly turns: FairSemaphore;
  /**
   * Waits a little until the organisation's ended calls that arrived before a time are stored. @returns when the oldest arrived that is
   * open or not stored even then; undefined without one. All are Unix milliseconds. @throws GatelogError while nobody can tell.
   */
  readonly oldestUnstored: (organizationId: OrganizationId, beforeMs: number, signal: AbortSignal) => Promise<number | undefined>;
}

export function makeExports({ now, oldestUnstored }: Omit<Exports, 'turns'>): Exports {
  const turns = new FairSemaphore({
    units: maxExports,
    maxUnitsOfOwner: maxExportsOfOwner,
    maxWaitingOfOwner: maxExports,
    refusal: () =>
      new GatelogError('service_busy', `${maxExportsOfOwner} exports of an organisation run at once. Try again when one has ended.`, {
        retryAfterSeconds: 10,
      }),
  });
  return { now, turns, oldestUnstored };
}
