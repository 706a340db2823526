import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SettleBudgets } from './interpret/settlement.ts';
import type { SharedState } from '../state/shared-state.ts';

const settledAtOnce = 32;

/** In small batches: gateway calls wait while the shared windows are written. */
export function settleIn(state: SharedState): SettleBudgets {
  return async (settlements) => {
    const all = settlements.map(({ organizationId, requestId, amount }) => ({ reservation: [organizationId, requestId] as const, amount }));
    for (let start = 0; start < all.length; start += settledAtOnce) {
      state.open().windows.settle(all.slice(start, start + settledAtOnce));
      await nextTurn();
    }
  };
}
