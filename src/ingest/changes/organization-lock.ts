import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';

interface Waiter {
  readonly exclusive: boolean;
  readonly start: () => void;
}

/** Running work of an organisation, and waiting work in order of arrival. */
interface LockState {
  shared: number;
  exclusive: boolean;
  readonly waiting: Waiter[];
}

/** Max waiting changes of one organisation; further ones get a 503. */
const maxWaiting = 1000;

/**
 * Orders changes of an organisation: those of single requests run concurrently, one of a whole session runs alone. So each request
 * receives its changes in the order of their numbers.
 */
export class OrganizationLock {
  private readonly states = new Map<OrganizationId, LockState>();

  /** Runs `work` concurrently with other shared work. @throws GatelogError `store_unavailable` when too many wait. */
  shared<Result>(organizationId: OrganizationId, work: () => Promise<Result>): Promise<Result> {
    return this.run(organizationId, false, work);
  }

  /** Runs `work` when no other change of the organisation runs. @throws GatelogError `store_unavailable` when too many wait. */
  exclusive<Result>(organizationId: OrganizationId, work: () => Promise<Result>): Promise<Result> {
    return this.run(organizationId, true, work);
  }

  private async run<Result>(organizationId: OrganizationId, exclusive: boolean, work: () => Promise<Result>): Promise<Result> {
    const state = this.states.get(organizationId) ?? { shared: 0, exclusive: false, waiting: [] };
    this.states.set(organizationId, state);
    if (state.waiting.length === 0 && canAcquire(state, exclusive)) acquire(state, exclusive);
    else await waitToAcquire(state, exclusive);
    try {
      return await work();
    } finally {
      if (exclusive) state.exclusive = false;
      else state.shared -= 1;
      startWaiters(state);
      if (state.shared === 0 && !state.exclusive) this.states.delete(organizationId);
    }
  }
}

function canAcquire({ shared, exclusive }: LockState, wantsExclusive: boolean): boolean {
  return !exclusive && (!wantsExclusive || shared === 0);
}

function acquire(state: LockState, exclusive: boolean): void {
  if (exclusive) state.exclusive = true;
  else state.shared += 1;
}

function waitToAcquire(state: LockState, exclusive: boolean): Promise<void> {
  if (state.waiting.length >= maxWaiting) {
    throw new GatelogError('store_unavailable', 'Too many changes are waiting for a change of a whole session. Try again in a moment.');
  }
  return new Promise((resolve) => {
    state.waiting.push({ exclusive, start: resolve });
  });
}

/** TRICKY: counts each as running here, not when it wakes up, so that no other can start in between. */
function startWaiters(state: LockState): void {
  for (let next = state.waiting[0]; next !== undefined && canAcquire(state, next.exclusive); next = state.waiting[0]) {
    state.waiting.shift();
    acquire(state, next.exclusive);
    next.start();
  }
}
