import { dataPaths } from '../config/data-paths.ts';
import type { Config } from '../config/load.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import { latestJobNumber } from '../metadata/jobs.ts';
import { DeclaredNames } from '../metadata/organization/declared-names.ts';
import { RedactionRules } from '../metadata/organization/redaction-rules.ts';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import type { Meter } from '../platform/metrics/meter.ts';
import type { OpenPrices } from '../pricing/held/open.ts';
import { openCheckpointFile } from '../spool/checkpoint.ts';
import type { SharedState } from '../state/shared-state.ts';
import type { Store } from '../store/store.ts';
import { StoredOrder } from './batch/stored-order.ts';
import { type Changers, makeChangers } from './changers.ts';
import { openPendingChanges, type PendingChanges } from './changes/pending.ts';
import { DeadLetterQuota } from './dead-letters/quota.ts';
import { DeadLetters } from './dead-letters/store.ts';
import type { Drain } from './drain.ts';
import { RunningErasures } from './changes/erasures.ts';
import { oldestUnstoredOf } from './export-ends.ts';
import { freshUntil, inFlightIn } from './fresh-until.ts';
import { makeDrain } from './make-drain.ts';
import type { OncePorts } from './once/calls-once.ts';
import { midnightBefore, SpendCounters } from './spend-counters.ts';
import { type RecordBuilderThread, startRecordBuilderThread } from './worker/thread.ts';

/** Maximum wait of the ingest for space among the dead letters. */
const deadLetterQuotaWaitMs = 5000;
/** Rows have up to three times the bytes of their exchanges, and two batches are in memory at a time: one being stored and the next. */
const rowBytesOfBatchByte = 8;

/** Other rooms, as the ingest uses them. */
export interface IngestDependencies {
  readonly config: Config;
  readonly observe: Observe;
  readonly meter: Meter;
  readonly database: MetadataDatabase;
  readonly store: Store;
  readonly state: SharedState;
  readonly prices: OpenPrices;
  /** Is told which record has the call of another now. */
  readonly joined: { readonly note: OncePorts['onJoined'] };
}

/** The ingest: what drains the spool, what changes records on their way and behind it, and what they remember. */
export interface Ingest extends Changers {
  readonly drain: Drain;
  readonly interpreter: RecordBuilderThread;
  readonly deadLetters: DeadLetters;
  readonly deadLetterQuota: DeadLetterQuota;
  readonly pendingChanges: PendingChanges;
  readonly declaredNames: DeclaredNames;
  readonly redactionRules: RedactionRules;
  readonly running: RunningErasures;
  readonly storedOrder: StoredOrder;
  readonly spendCounters: SpendCounters;
  /** No recorded call from before this start came later, Unix milliseconds. */
  readonly latestBefore: number;
  /** @returns the requests whose records are still in flight to the store. */
  readonly inFlightOf: (organizationId: OrganizationId, requestIds: readonly RequestId[]) => Promise<readonly RequestId[]>;
  /** Every request whose response ended before this time, Unix milliseconds, is in the store; undefined: nobody can tell. */
  readonly freshUntil: () => Promise<number | undefined>;
  readonly oldestUnstored: ReturnType<typeof oldestUnstoredOf>;
}

/** Opens the ingest over the spool of the data folder; nothing is drained before its drain is started. */
export async function openIngest(dependencies: IngestDependencies): Promise<Ingest> {
  const { config, database, store, prices } = dependencies;
  const { spent = [], lastNumber } = openCheckpointFile(dataPaths(config).spool).load();
  const pendingChanges = await openPendingChanges(database, spent);
  const latestNumber = Math.max(await store.latestChangeNumber(), await pendingChanges.latestNumber(), await latestJobNumber(database));
  const storedOrder = await openStoredOrder(lastNumber, store);
  const deadLetters = new DeadLetters(dataPaths(config).deadLetters, systemClock.now);
  const startedAt = systemClock.now();
  const latestBefore = Math.max(startedAt, await store.latestArrival(startedAt), deadLetters.latestOpenedAt());
  const kept = {
    interpreter: openRecordBuilder(config, prices),
    deadLetters,
    deadLetterQuota: new DeadLetterQuota({ deadLetters, maxBytes: config.deadLetterMaxBytes, maxWaitMs: deadLetterQuotaWaitMs }),
    pendingChanges,
    declaredNames: new DeclaredNames(database, systemClock),
    redactionRules: new RedactionRules(database, systemClock),
    running: new RunningErasures(),
    storedOrder,
    spendCounters: await openSpendCounters(storedOrder, store),
  };
  const drain = makeDrain({ ...dependencies, ...kept });
  return {
    ...kept,
    drain,
    ...makeChangers({ store, latestNumber, ...kept }, drain),
    latestBefore,
    inFlightOf: inFlightIn(drain),
    freshUntil: () => freshUntil(drain, systemClock.now),
    oldestUnstored: oldestUnstoredOf(drain),
  };
}

/** The thread that interprets records with the prices. */
function openRecordBuilder(config: Config, { file, imported }: OpenPrices): RecordBuilderThread {
  const settings = {
    searchMaxBytes: config.bodySearchMaxBytes,
    agentSessions: config.agentSessions === 'on',
    keptRowBytes: rowBytesOfBatchByte * config.ingestBatchBytes,
    pricesFile: file,
    threatCheckFile: config.threatCheckFile,
  };
  return startRecordBuilderThread(settings, undefined, undefined, imported.current);
}

/** What accepted batches have stored counts; anything else is stored, and counted, again. */
async function openSpendCounters({ through }: StoredOrder, store: Pick<Store, 'countCalls'>): Promise<SpendCounters> {
  return new SpendCounters(systemClock.now, await store.countCalls({ from: midnightBefore(systemClock.now()), through }));
}

/** @param lastNumber of the ingest's checkpoint; undefined without one, or in one of an earlier version. */
async function openStoredOrder(lastNumber: number | undefined, store: Pick<Store, 'latestStoredNumber'>): Promise<StoredOrder> {
  return new StoredOrder(lastNumber ?? (await store.latestStoredNumber()) ?? StoredOrder.numberAt(systemClock.now()));
}
