import { FairSemaphore } from '../../../platform/fair-semaphore.ts';

/**
 * Steps at once over all organisations, which take turns. Several, so that one whose filters have much to do holds up no other.
 * Reads of webhooks that are behind do not wait for those that are not.
 */
export interface Turns {
  readonly news: FairSemaphore;
  readonly behind: FairSemaphore;
  readonly updates: FairSemaphore;
}

export function makeTurns(): Turns {
  return { news: turnsOf(4), behind: turnsOf(3), updates: turnsOf(3) };
}

function refusal(): Error {
  return new Error('Too many organisations are followed.');
}

function turnsOf(units: number): FairSemaphore {
  return new FairSemaphore({ units, maxUnitsOfOwner: 1, maxWaitingOfOwner: Infinity, refusal });
}
