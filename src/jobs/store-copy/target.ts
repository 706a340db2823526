import { GatelogError } from '../../model/errors.ts';
import type { StoreIdentity } from '../../store/copy/identity.ts';

/** What a store must be told apart from before another one is copied into it. */
export interface TargetQuestion {
  /** Identity of the store that has the records. */
  readonly own: string;
  readonly here: StoreIdentity;
  readonly there: StoreIdentity;
  /** The store that was about to get the records when the service ended. */
  readonly movingTo: string | undefined;
}

/**
 * A copy removes what the other store has and this one has not. So it goes into an empty store that nobody has named, into an earlier copy of
 * this one, and into the store from which the records came; never into one that got them later, as from an older copy of the data folder.
 * @throws GatelogError for any other store.
 */
export function assertTarget({ own, here, there, movingTo }: TargetQuestion): void {
  if (there.id === own) throw refusal('The other store is the one that has the records.');
  if (there.id === undefined) {
    if (there.isEmpty) return;
    throw refusal('The other store has records that did not come from this one. Name an empty database.');
  }
  const isRelated = there.copyOf.includes(own) || here.copyOf.includes(there.id);
  if (!isRelated) throw refusal('The other store belongs to another Gatelog. Name an empty database.');
  const isLater = there.move !== undefined && there.move > (here.move ?? 0) && there.id !== movingTo;
  if (!isLater) return;
  throw refusal('The records have moved to the other store, and this data folder is an older copy. Start Gatelog with that store.');
}

/** The number of the next move of the records. */
export function nextMove(here: StoreIdentity): number {
  return (here.move ?? 0) + 1;
}

function refusal(message: string): GatelogError {
  return new GatelogError('invalid_parameter', message);
}
