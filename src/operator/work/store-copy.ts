import type { Config } from '../../config/load.ts';
import type { StoreCopyAnswer, StoreCopyOrder } from '../../contract/operator.ts';
import { orderOf } from '../../jobs/store-copy/order.ts';
import { locationText } from '../../jobs/store-copy/record-store.ts';
import type { CopyState } from '../../jobs/store-copy/copy-state.ts';
import type { StoreCopies } from '../../jobs/store-copy/store-copies.ts';
import type { Observe } from '../../model/observation.ts';

export interface StoreCopyWork {
  /** @throws GatelogError for a location that is none, or the one where the records are. */
  readonly start: (order: StoreCopyOrder) => void;
  /** @returns whether one ran. */
  readonly cancel: () => Promise<boolean>;
  readonly state: () => StoreCopyAnswer;
}

export function makeStoreCopyWork(config: Config, observe: Observe, copies: StoreCopies): StoreCopyWork {
  return {
    start: ({ to, switch: isSwitching, hold_ms: maxHeldMs }) => copies.start(orderOf(config, observe, { to, isSwitching, maxHeldMs })),
    cancel: () => copies.cancel(),
    state: () => answerOf(copies.state),
  };
}

const nothing = {
  location: null,
  round: null,
  pieces: null,
  rows: null,
  table: null,
  days: null,
  at: null,
  reason: null,
  may_try_again: null,
};

function answerOf(state: CopyState): StoreCopyAnswer {
  if (state.state === 'none') return { ...nothing, state: 'none' };
  const { location, ...told } = state;
  if (told.state === 'failed') {
    return { ...nothing, state: 'failed', location: locationText(location), reason: told.reason, may_try_again: told.mayTryAgain };
  }
  return { ...nothing, ...told, location: locationText(location), at: told.at === 0 ? null : new Date(told.at).toISOString() };
}
