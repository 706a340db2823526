import type { Config } from '../../config/load.ts';
import type { RequestChanges } from '../../ingest/changes/request-changes.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import type { Observe } from '../../model/observation.ts';
import type { TakeSpans } from '../../model/record/sent-spans.ts';
import { systemClock } from '../../platform/clock.ts';
import { makeOwnLog, type OwnSeries } from '../records/own-series.ts';
import { PlaceCorrections } from './corrections.ts';
import { TraceSender } from './send-traces.ts';
import { startSpanThread } from './take-spans.ts';

interface SpanParts {
  readonly database: MetadataDatabase;
  readonly observe: Observe;
}

export interface TakenSpans {
  readonly take: TakeSpans;
  readonly close: () => Promise<void>;
}

/** A gateway worker tells the core of the spans that it takes. */
export function startGatewaySpans(config: Config, series: OwnSeries, parts: SpanParts): TakenSpans {
  const sender = new TraceSender(config.dataDir);
  const { take, close } = startSpanThread({
    logCalls: makeOwnLog(config, series, parts),
    noteTraces: (owner, traces) => sender.note(owner, traces),
    maxBytes: config.otlpMaxBytes,
    observe: parts.observe,
  });
  return {
    take,
    close: async () => {
      await close();
      sender.close();
    },
  };
}

/** The core remembers the spans of all workers, and its own. */
export function startCoreSpans(
  config: Config,
  series: OwnSeries,
  { changer, ...parts }: SpanParts & { readonly changer: RequestChanges },
): TakenSpans & { readonly corrections: PlaceCorrections } {
  const { observe } = parts;
  const corrections = new PlaceCorrections({
    changeRequest: (...args) => changer.change(...args),
    maxSpans: config.otlpMemorySpans,
    now: systemClock.now,
    observe,
  });
  const { take, close } = startSpanThread({
    logCalls: makeOwnLog(config, series, parts),
    noteTraces: (owner, traces) => corrections.note(owner, traces),
    maxBytes: config.otlpMaxBytes,
    observe,
  });
  return {
    take,
    corrections,
    close: async () => {
      await Promise.all([close(), corrections.close()]);
    },
  };
}
