import { GatelogError } from '../../model/errors.ts';
import type { Store } from '../../store/store.ts';
import type { StoreIdentity } from '../../store/copy/identity.ts';

/** The greatest numbers of what a store has: of records in the order of storage, and of changes. */
export interface Reach {
  readonly stored: number;
  readonly changes: number;
}

/** @throws GatelogError when the store fails. */
export async function reachOf(store: Store): Promise<Reach> {
  return { stored: (await store.latestStoredNumber()) ?? 0, changes: await store.latestChangeNumber() };
}

/** What a store must be told apart from before another one is copied into it. */
export interface TargetQuestion {
  /** Identity of the store that has the records. */
  readonly own: string;
  readonly here: StoreIdentity;
  readonly there: StoreIdentity;
  /** The store that was about to get the records when the service ended. */
  readonly movingTo: string | undefined;
}

const remedy = 'If nobody uses it, drop its database, or remove clickhouse/ from the data folder, and run the command again.';

/**
 * A copy removes what the other store has and this one has not. So it goes into an empty store that nobody has named, into an earlier copy of
 * this one, and into the store from which the records came; never into one that got them later, as from an older copy of the data folder.
 * @throws GatelogError for any other store.
 */
export function assertTarget({ own, here, there, movingTo }: TargetQuestion): void {
  if (there.id === own) throw refusal('The other store is the one that has the records.');
  const isRelated = there.copyOf.includes(own) || (there.id !== undefined && here.copyOf.includes(there.id));
  if (!isRelated) {
    if (!there.isEmpty) throw refusal('The other store has records that did not come from this one. Name an empty database.');
    if (there.id !== undefined) throw refusal(`The other store belongs to another Gatelog. ${remedy}`);
  }
  if ((there.move ?? 0) > (here.move ?? 0) && there.id !== movingTo) {
    throw refusal(`The other store has had the records since: this data folder may be an older copy. ${remedy}`);
  }
  if (here.isIncomplete && !there.isEmpty) {
    throw refusal(
      'A damaged part of this store was set aside, and a copy would lose its rows in the other store too. Name an empty database.',
    );
  }
}

/** @throws GatelogError for another store that has later records or changes than this one. */
export function assertBehind({ here, there }: { readonly here: Reach; readonly there: Reach }): void {
  if (there.stored <= here.stored && there.changes <= here.changes) return;
  throw refusal(
    `The other store has later records or changes than this one: this data folder may be an older copy. Where the latest were erased here, run the command again once there are later ones. ${remedy}`,
  );
}

/** The number of the next move of the records. */
export function nextMove(here: StoreIdentity): number {
  return (here.move ?? 0) + 1;
}

function refusal(message: string): GatelogError {
  return new GatelogError('invalid_parameter', message);
}
