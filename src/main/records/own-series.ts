import type { Config } from '../../config/load.ts';
import { type LogPorts, makeLogCalls } from '../../logs/log-calls.ts';
import type { Observe } from '../../model/observation.ts';
import type { LogCalls } from '../../model/record/logged-call.ts';
import { systemClock } from '../../platform/clock.ts';
import { type SpoolSpace, watchSpoolSpace } from '../../spool/usage.ts';
import { openSpoolWriter, type SpoolWriter } from '../../spool/writer.ts';
import { dataPaths } from '../shared.ts';

const spoolSyncMs = 1000;
const spoolCountMs = 1000;

/** What a process writes into the spool, and how much room there is. */
export interface OwnSeries {
  readonly spool: SpoolWriter;
  readonly space: SpoolSpace;
  readonly close: () => Promise<void>;
}

/** Each process writes a series of its own; the name sorts by its start. */
export function openOwnSeries(config: Config, observe: Observe): OwnSeries {
  const folder = dataPaths(config).spool;
  const spool = openSpoolWriter({
    folder,
    series: `${String(systemClock.now()).padStart(14, '0')}-${process.pid}`,
    segmentMaxBytes: config.spoolSegmentBytes,
    segmentMaxMs: config.spoolSegmentSeconds * 1000,
    sync: config.spoolSync,
    syncIntervalMs: spoolSyncMs,
    onFailure: (error) => observe({ kind: 'spool_append_failed', reason: error.message }),
    monotonic: systemClock.monotonic,
  });
  const space = watchSpoolSpace({ folder, maxBytes: config.spoolMaxBytes, intervalMs: spoolCountMs, appendedBytes: spool.bytes });
  return {
    spool,
    space,
    close: async () => {
      await spool.close();
      space.close();
    },
  };
}

export type ClaimAll = LogPorts['claim'];

/** Records calls that did not pass through the gateway in the series of this process. */
export function makeOwnLog({ recordMaxBytes }: Config, { spool, space }: OwnSeries, claim: ClaimAll, observe: Observe): LogCalls {
  return makeLogCalls({ spool, hasSpoolSpace: space.hasFreeSpace, claim, recordMaxBytes, now: systemClock.now, observe });
}
