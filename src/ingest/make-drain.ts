import { BurstGate } from './batch/burst.ts';
import { EarlierTexts } from './batch/earlier-texts.ts';
import { makeCompleteUsage } from './completions/complete-usage.ts';
import { Drain } from './drain.ts';
import { countVisible } from './metrics.ts';
import { systemClock } from '../platform/clock.ts';
import { watchCpuShares } from '../platform/cpu-usage.ts';
import { openCheckpointFile, spoolIdentity } from '../spool/checkpoint.ts';
import { type CorePrices, makePricingOf } from '../pricing/held/core-prices.ts';
import { settleIn } from './settle-budgets.ts';
import { dataPaths } from '../config/data-paths.ts';
import type { Config } from '../config/load.ts';
import type { StoredOrder } from './batch/stored-order.ts';
import type { DeadLetters } from './dead-letters/store.ts';
import type { ActiveErasures, RunningErasures } from './changes/erasures.ts';
import type { SpendCounters } from './spend-counters.ts';
import type { RecordBuilderThread } from './worker/thread.ts';
import type { DeadLetterQuota } from './dead-letters/quota.ts';
import type { PendingChanges } from './changes/pending.ts';
import type { DeclaredNames } from '../metadata/organization/declared-names.ts';
import { addErasedExchanges, wasErased } from '../metadata/erasures.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import type { RedactionRules } from '../metadata/organization/redaction-rules.ts';
import type { Observe } from '../model/observation.ts';
import type { Meter } from '../platform/metrics/meter.ts';
import { CallsOnce, type OncePorts } from './once/calls-once.ts';
import type { Store } from '../store/store.ts';
import type { SharedState } from '../state/shared-state.ts';

/** Frames whose location the core may hold while the store is away: under a gigabyte, half a million plain calls. */
const maxKnown = 5_000_000;

export interface DrainDependencies {
  readonly config: Config;
  readonly observe: Observe;
  readonly database: MetadataDatabase;
  readonly store: Store;
  readonly interpreter: RecordBuilderThread;
  readonly deadLetters: DeadLetters;
  readonly deadLetterQuota: DeadLetterQuota;
  readonly pendingChanges: PendingChanges;
  readonly declaredNames: DeclaredNames;
  readonly redactionRules: RedactionRules;
  readonly prices: CorePrices;
  readonly state: SharedState;
  readonly meter: Meter;
  readonly running: RunningErasures;
  readonly storedOrder: StoredOrder;
  readonly spendCounters: SpendCounters;
  readonly joined: { readonly note: OncePorts['onJoined'] };
}

export function makeDrain({
  config,
  observe,
  database,
  store,
  interpreter,
  deadLetters,
  deadLetterQuota,
  pendingChanges,
  declaredNames,
  redactionRules,
  prices,
  state,
  meter,
  running,
  storedOrder,
  spendCounters,
  joined,
}: DrainDependencies): Drain {
  const paths = dataPaths(config);
  const settleBudgets = settleIn(state);
  return new Drain({
    spoolFolder: paths.spool,
    spoolId: spoolIdentity(paths.spool),
    checkpoint: openCheckpointFile(paths.spool),
    interpret: interpreter.interpret,
    insert: store.insert,
    insertsByMonth: store.insertsByMonth,
    findRows: store.findRows,
    pendingChanges,
    declaredNames,
    redactionRules,
    organizationPrices: prices.stored,
    deadLetters,
    deadLetterQuota,
    settleBudgets,
    completeUsage: makeCompleteUsage({
      rows: store.usageRows,
      settleBudgets,
      pricingOf: makePricingOf(prices),
      now: systemClock.now,
      observe,
      onCompleted: (organizationId, completed) => spendCounters.complete(organizationId, completed),
    }),
    callsOnce: makeCallsOnce({ config, store, joined, observe }),
    erasures: erasuresFor(database, running),
    limits: { maxRows: config.ingestBatchRows, maxBytes: config.ingestBatchBytes },
    maxKnown,
    intervalMs: config.ingestIntervalMs,
    storedOrder,
    earlierTexts: new EarlierTexts(store.bodyRemovals),
    burst: new BurstGate({ maxMs: config.ingestBurstMs, cpuShares: watchCpuShares(systemClock), clock: systemClock }),
    clock: systemClock,
    observe,
    onVisible: (delayMs) => countVisible(meter, delayMs),
    spendCounters,
  });
}

function makeCallsOnce({ config, store, joined, observe }: Pick<DrainDependencies, 'config' | 'store' | 'joined' | 'observe'>): CallsOnce {
  const onJoined: OncePorts['onJoined'] = (...args) => joined.note(...args);
  return new CallsOnce({ ...store, onJoined, searchMaxBytes: config.bodySearchMaxBytes, clock: systemClock, observe });
}

function erasuresFor(database: MetadataDatabase, running: RunningErasures): ActiveErasures {
  return {
    of: (organizationId) => running.of(organizationId),
    save: (erased) => addErasedExchanges(database, erased),
    wasErased: (exchange) => wasErased(database, exchange),
  };
}
