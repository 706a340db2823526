import { dataPaths } from '../../config/data-paths.ts';
import type { Config } from '../../config/load.ts';
import type { Observe } from '../../model/observation.ts';
import type { LogCalls } from '../../model/record/logged-call.ts';
import { systemClock } from '../../platform/clock.ts';
import { openCheckpointFile } from '../../spool/checkpoint.ts';
import type { ProcessSeries } from '../../spool/process-series.ts';
import { Admissions } from './admissions.ts';
import { type LogPorts, makeLogCalls } from './log-calls.ts';

export type ClaimAll = LogPorts['claim'];

/** Records calls that did not pass through the gateway in the series of this process. */
export function makeProcessLog({ recordMaxBytes }: Config, series: ProcessSeries, claim: ClaimAll, observe: Observe): LogCalls {
  const { spool, lateSpool, hasSpaceFor } = series;
  const spoolOf: LogPorts['spoolOf'] = (organizationId) => spool.of(organizationId);
  return makeLogCalls({ spoolOf, lateSpool, hasSpoolSpace: hasSpaceFor, claim, recordMaxBytes, now: systemClock.now, observe });
}

/** Lets in what did not pass through the gateway. */
export function makeProcessAdmissions(config: Config, { space }: ProcessSeries): Admissions {
  const checkpoint = openCheckpointFile(dataPaths(config).spool);
  return new Admissions({
    accepted: () => checkpoint.load().accepted,
    usedBytes: space.usedBytes,
    maxBytes: config.spoolMaxBytes,
    processes: config.gatewayWorkers + 1,
    now: systemClock.now,
    monotonic: systemClock.monotonic,
  });
}
