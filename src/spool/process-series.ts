import type { Config } from '../config/load.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { busySeriesName, SpoolByLoad } from './busy-series.ts';
import { lateSeriesName } from './import-series.ts';
import { type SpoolSpace, watchSpoolSpace } from './usage.ts';
import { openSpoolWriter, type PositionedWriter } from './writer.ts';
import { dataPaths } from '../config/data-paths.ts';

const spoolSyncMs = 1000;
const spoolCountMs = 1000;

/** What a process writes into the spool, and how much room there is. */
export interface ProcessSeries {
  readonly spool: SpoolByLoad;
  /** Of records of long ago; begins with the first of them. */
  readonly lateSpool: () => PositionedWriter;
  readonly space: SpoolSpace;
  /** Whether another exchange of an organisation may be recorded. */
  readonly hasSpaceFor: (organizationId: string) => boolean;
  readonly close: () => Promise<void>;
}

/** Each process writes a series of its own; the name sorts by its start. */
export function openProcessSeries(config: Config, observe: Observe): ProcessSeries {
  const folder = dataPaths(config).spool;
  const series = `${String(systemClock.now()).padStart(14, '0')}-${process.pid}`;
  const open = (name: string): PositionedWriter =>
    openSpoolWriter({
      folder,
      series: name,
      segmentMaxBytes: config.spoolSegmentBytes,
      segmentMaxMs: config.spoolSegmentSeconds * 1000,
      sync: config.spoolSync,
      syncIntervalMs: spoolSyncMs,
      onFailure: (error) => observe({ kind: 'spool_append_failed', reason: error.message }),
      monotonic: systemClock.monotonic,
    });
  const prompt = open(series);
  // Not with its first record: a process may have no descriptor left by then.
  const busy = open(busySeriesName(series));
  let late: PositionedWriter | undefined;
  const appendedBytes = (): number => [prompt, busy, late].reduce((sum, writer) => sum + (writer?.bytes() ?? 0), 0);
  const space = watchSpoolSpace({ folder, maxBytes: config.spoolMaxBytes, intervalMs: spoolCountMs, appendedBytes });
  const spool = new SpoolByLoad({ prompt, busy, monotonic: systemClock.monotonic });
  return {
    spool,
    hasSpaceFor: (organizationId) => (spool.isBusy(organizationId) ? space.hasSpaceForBusy() : space.hasFreeSpace()),
    lateSpool: () => (late ??= open(lateSeriesName(series))),
    space,
    close: async () => {
      await Promise.all([prompt.close(), busy.close(), late?.close()]);
      space.close();
    },
  };
}
