import { GatelogError } from '../../model/errors.ts';
import { FairSemaphore } from '../../platform/fair-semaphore.ts';
import type { ExportPorts } from '../ports.ts';

/** Exports at once, of all organisations and of one. Each holds a few megabytes for as long as its client reads. */
const maxExports = 8;
const maxExportsOfOwner = 4;

export function exportPorts({ now, oldestUnstored }: Omit<ExportPorts, 'turns'>): ExportPorts {
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
