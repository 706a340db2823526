import { exportPorts } from '../../api/export/export-ports.ts';
import type { ExportPorts } from '../../api/ports.ts';
import { oldestUnstored } from '../../ingest/changes/ended-exchanges.ts';
import type { Drain } from '../../ingest/drain.ts';
import { systemClock } from '../../platform/clock.ts';

/** How long an export waits for calls that have ended before it. */
const maxWaitMs = 3000;

export function makeExports(drain: Pick<Drain, 'catchUp' | 'inFlight'>): ExportPorts {
  const spool = { catchUp: () => drain.catchUp(), inFlight: drain.inFlight };
  return exportPorts({
    now: systemClock.now,
    oldestUnstored: (organizationId, beforeMs, signal) => oldestUnstored(spool, organizationId, { beforeMs, maxWaitMs }, signal),
  });
}
