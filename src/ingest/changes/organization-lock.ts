import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';

interface Turn {
  readonly alone: boolean;
  readonly start: () => void;
}

/** Running work of an organisation, and waiting work in order of arrival. */
interface Running {
  shared: number;
  alone: boolean;
  readonly waiting: Turn[];
}

/** Max waiting changes of one organisation; further ones get a 503. */
const maxWaiting = 1000;

/**
 * Orders changes of an organisation: those of single requests run concurrently, one of a whole session runs alone. So each request
 * receives its changes in the order of their numbers.
 */
export class OrganizationLock {
  private readonly organizations = new Map<OrganizationId, Running>();

  /** Runs `work` concurrently with other shared work. @throws GatelogError `store_unavailable` when too many wait. */
  shared<Result>(organizationId: OrganizationId, work: () => Promise<Result>): Promise<Result> {
    return this.run(organizationId, false, work);
  }

  /** Runs `work` when no other change of the organisation runs. @throws GatelogError `store_unavailable` when too many wait. */
  alone<Result>(organizationId: OrganizationId, work: () => Promise<Result>): Promise<Result> {
    return this.run(organizationId, true, work);
  }

  private async run<Result>(organizationId: OrganizationId, alone: boolean, work: () => Promise<Result>): Promise<Result> {
    const running = this.organizations.get(organizationId) ?? { shared: 0, alone: false, waiting: [] };
    this.organizations.set(organizationId, running);
    if (running.waiting.length === 0 && isFree(running, alone)) begin(running, alone);
    else await whenFree(running, alone);
    try {
      return await work();
    } finally {
      if (alone) running.alone = false;
      else running.shared -= 1;
      startWaiting(running);
      if (running.shared === 0 && !running.alone) this.organizations.delete(organizationId);
    }
  }
}

function isFree({ shared, alone }: Running, wantsAlone: boolean): boolean {
  return !alone && (!wantsAlone || shared === 0);
}

function begin(running: Running, alone: boolean): void {
  if (alone) running.alone = true;
  else running.shared += 1;
}

function whenFree(running: Running, alone: boolean): Promise<void> {
  if (running.waiting.length >= maxWaiting) {
    throw new GatelogError('store_unavailable', 'Too many changes are waiting for a change of a whole session. Try again in a moment.');
  }
  return new Promise((resolve) => {
    running.waiting.push({ alone, start: resolve });
  });
}

/** TRICKY: counts each as running here, not when it wakes up, so that no other can start in between. */
function startWaiting(running: Running): void {
  for (let next = running.waiting[0]; next !== undefined && isFree(running, next.alone); next = running.waiting[0]) {
    running.waiting.shift();
    begin(running, next.alone);
    next.start();
  }
}
