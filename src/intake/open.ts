import type { Config } from '../config/load.ts';
import type { Admissions } from './record/admissions.ts';
import type { ToldLog } from './logs/read-log.ts';
import { makeTakeLog } from './logs/take-log.ts';
import { type MetadataDatabase, openMetadata } from '../metadata/database.ts';
import { claimAll, makeRequestIdClaims } from '../metadata/request-ids.ts';
import type { Observe } from '../model/observation.ts';
import type { LogCalls } from '../model/record/logged-call.ts';
import type { TakeLog } from '../model/record/sent-log.ts';
import type { TakeSpans } from '../model/record/sent-spans.ts';
import { systemClock } from '../platform/clock.ts';
import { BodyThread } from '../platform/threads/body-thread.ts';
import type { ProcessSeries } from '../spool/process-series.ts';
import { makeProcessAdmissions, makeProcessLog } from './record/process-log.ts';
import type { JoinedCalls } from './spans/joined-calls.ts';
import { type CorrectionPorts, PositionCorrections } from './spans/corrections.ts';
import { TraceSender } from './spans/send-traces.ts';
import { type SpanPorts, startSpanThread } from './spans/take-spans.ts';
import { type LargeLog, unpackLog } from './logs/read-large.ts';

interface LogParts {
  readonly database: MetadataDatabase;
  readonly observe: Observe;
}

/** Takes what tells of calls that did not pass through the gateway: logs of calls, and spans. */
export interface Receivers {
  readonly takeLog: TakeLog;
  readonly takeSpans: TakeSpans;
  readonly close: () => Promise<void>;
}

/** A gateway worker tells the core of the spans that it takes. */
export function startGatewayReceivers(config: Config, series: ProcessSeries, parts: LogParts): Receivers {
  const sender = new TraceSender(config.dataDir, parts.observe);
  const claims = makeRequestIdClaims(parts.database, systemClock.now);
  const logCalls = makeProcessLog(
    config,
    series,
    (organizationId, requestIds) => {
      for (const requestId of requestIds) claims.claim(organizationId, requestId);
    },
    parts.observe,
  );
  const recording = { logCalls, admissions: makeProcessAdmissions(config, series) };
  const takers = startReceivers(config, recording, parts, (owner, traces) => sender.note(owner, traces));
  return {
    ...takers,
    close: async () => {
      await takers.close();
      sender.close();
    },
  };
}

/** The core remembers the spans of all workers, and its own. */
export function startCoreReceivers(
  config: Config,
  series: ProcessSeries,
  {
    changeRequest,
    joined,
    ...parts
  }: Pick<LogParts, 'observe'> & { readonly changeRequest: CorrectionPorts['changeRequest']; readonly joined: JoinedCalls },
): Receivers & Pick<SpanPorts, 'onTraces'> {
  const corrections = new PositionCorrections({
    changeRequest,
    joined,
    maxSpans: config.otlpMemorySpans,
    now: systemClock.now,
    observe: parts.observe,
  });
  // TRICKY: a claim on the core's own connection would wait for the disk, and calls that claim an identifier with it.
  const claims = openMetadata(config.dataDir, 'gateway');
  const logCalls = makeProcessLog(
    config,
    series,
    (organizationId, requestIds) => claimAll(claims, organizationId, { requestIds, at: systemClock.now() }),
    parts.observe,
  );
  const recording = { logCalls, admissions: makeProcessAdmissions(config, series) };
  const takers = startReceivers(config, recording, parts, (owner, traces) => corrections.note(owner, traces));
  return {
    ...takers,
    onTraces: (owner, traces) => corrections.note(owner, traces),
    close: async () => {
      await Promise.all([takers.close(), corrections.close()]);
      await claims.close();
    },
  };
}

/** What one request may add is at most this part of the spool. */
const shareOfRequest = 16;

interface Recording {
  readonly logCalls: LogCalls;
  readonly admissions: Admissions;
}

const largeLogReader = new URL('./logs/worker.js', import.meta.url);

/** The threads that read spans and large logs start with the first of them. */
function startReceivers(
  config: Config,
  { logCalls, admissions }: Recording,
  { observe }: Pick<LogParts, 'observe'>,
  onTraces: SpanPorts['onTraces'],
): Receivers {
  const spans = startSpanThread({
    logCalls,
    admissions,
    onTraces,
    maxBytes: config.otlpMaxBytes,
    maxAddedBytes: config.spoolMaxBytes / shareOfRequest,
    now: systemClock.now,
    observe,
  });
  const large = new BodyThread<ToldLog, LargeLog>(largeLogReader);
  const takeLog = makeTakeLog({
    admit: admissions.admit,
    logCalls,
    readLarge: async (organizationId, body, told, signal) => unpackLog(await large.run({ organizationId, signal }, body, told)),
    now: systemClock.now,
  });
  return {
    takeLog,
    takeSpans: spans.take,
    close: async () => {
      await Promise.all([spans.close(), large.close()]);
    },
  };
}
