import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';

/** Changes of an organisation's settings that wait. */
const maxWaiting = 100;

interface Line {
  waiting: number;
  latest: Promise<unknown>;
}

const lines = new Map<OrganizationId, Line>();

/**
 * Runs a change of settings when no other one of the organisation runs: it may depend on what it reads first. Organisations do not wait for
 * each other. @throws GatelogError `service_busy` when too many wait.
 */
export async function inSettingTurn<Value>(organizationId: OrganizationId, change: () => Promise<Value>): Promise<Value> {
  const line = lines.get(organizationId) ?? { waiting: 0, latest: Promise.resolve() };
  if (line.waiting >= maxWaiting) {
    throw new GatelogError('service_busy', `${maxWaiting} changes of the organisation's settings wait already; send this one later.`);
  }
  lines.set(organizationId, line);
  line.waiting += 1;
  const turn = line.latest.then(change);
  line.latest = turn.catch(() => undefined);
  try {
    return await turn;
  } finally {
    line.waiting -= 1;
    if (line.waiting === 0) lines.delete(organizationId);
  }
}
