import { openApi } from '../api/open.ts';
import { openAudit } from '../audit/open.ts';
import { openIngest } from '../ingest/open.ts';
import { openJobs } from '../jobs/open.ts';
import { assertRecordStore, locationOf } from '../jobs/store-copy/record-store.ts';
import { openOperator } from '../operator/open.ts';
import { openHealth } from '../health/open.ts';
import { openPrices } from '../pricing/held/open.ts';
import { openEvents } from '../events/open.ts';
import path from 'node:path';
import { JoinedCalls } from '../intake/spans/joined-calls.ts';
import { ResponseMemory } from '../api/http/response-memory.ts';
import { AlertDefinitions } from '../alerts/definitions.ts';
import { oneAddress } from '../config/listener-addresses.ts';
import type { Config } from '../config/load.ts';
import { systemClock } from '../platform/clock.ts';
import { ensureFolder, removeUnfinished } from '../platform/files.ts';
import { makeLogger } from '../platform/logger.ts';
import { releaseMemoryAtRest } from '../platform/memory/at-rest.ts';
import { releaseLibraryAtRest } from '../platform/memory/library-pages.ts';
import { Meter } from '../platform/metrics/meter.ts';
import { measured } from '../platform/metrics/observed.ts';
import { sampleProcess } from '../platform/metrics/process-sampler.ts';
import { lowerPriority } from '../platform/priority.ts';
import type { ProcessLock } from '../platform/process-lock.ts';
import type { Connect } from '../store/engine/connections.ts';
import type { NoteWait } from '../store/engine/lanes.ts';
import { engineLibrary } from '../store/engine/embedded-engine.ts';
import { countWait } from '../store/metrics.ts';
import type { RunningRole } from '../supervisor/child.ts';
import { openSharedState } from '../state/shared-state.ts';
import { readingsOf } from '../api/parts/readings.ts';
import { publishCoreAddress } from '../supervisor/core-address.ts';
import { coreFamilies } from '../health/core-metrics.ts';
import { lowerMerges, openReadyStore } from '../store/open.ts';
import { makeModelList } from '../gateway/builtin/open-model-list.ts';
import { makeModelRegistry } from '../pricing/held/model-registry.ts';
import { openCoreAlerts } from '../alerts/open.ts';
import { openEventStores } from '../events/following.ts';
import { modelsOf } from '../pricing/models/models-of.ts';
import { startCoreReceivers } from '../intake/open.ts';
import { openCheckpointFile } from '../spool/checkpoint.ts';
import { openProcessSeries } from '../spool/process-series.ts';
import { makeStreams } from '../api/stream/open.ts';
import { openExistingMetadata } from '../metadata/open.ts';
import { coreLockOf, rejectUnsupportedSettings, holdLock } from './shared.ts';
import { dataPaths } from '../config/data-paths.ts';

/** A stopping core gives running responses this long, then the drain; the rest stays in the spool. */
const responsesEndMs = 300;
const drainEndMs = 1200;

/**
 * Opens the rooms of the core in this order, and closes them in reverse. @param connect opens the store's connections; a test passes some
 * that fail.
 */
export async function startCore(config: Config, version: string, connect?: Connect): Promise<RunningRole> {
  rejectUnsupportedSettings(config);
  const locks = holdLocks(config);
  removeLeftovers(config);
  const base = await openBase(config, connect);
  const { meter, observe, store } = base;
  const address = { url: config.publicApiUrl ?? '' };
  const baseUrl = (): string => address.url;
  const ingest = await openIngest(base);
  const series = openProcessSeries(config, observe);
  const streams = makeStreams(config, ingest.storedOrder);
  const answerMemory = new ResponseMemory({ maxBytes: config.apiAnswersMaxBytes, maxWaitMs: config.queryMaxWaitMs });
  const reading = { storedOrder: ingest.storedOrder, readingOf: readingsOf({ store, answerMemory }) };
  const events = openEvents({ ...base, ...reading }, baseUrl);
  const jobs = openJobs({ ...base, ingest, streams, deliveries: events.erase });
  await jobs.start();
  // Not earlier: at low priority a start takes ten times as long on a busy machine, and the API is away meanwhile.
  lowerPriority();
  void lowerMerges(store);
  ingest.drain.start();
  const health = openHealth({ ...base, ingest, behindMs: events.behindMs });
  const ends = [sampleProcess(meter), releaseMemoryAtRest(), releaseLibraryAtRest(engineLibrary, observe), health.follow()];
  const takers = startCoreReceivers(config, series, { ...base, changeRequest: (...args) => ingest.changer.change(...args) });
  const alerts = await openCoreAlerts(base, events, baseUrl);
  const api = openApi({
    ...base,
    ...takers,
    ...modelPorts(base),
    ...health.ports,
    webhooks: events.webhooks,
    alerts: alerts.alerts,
    ingest,
    jobs,
    streams,
    answerMemory,
    version,
    baseUrl,
  });
  const { own = oneAddress(config) ?? '', forWorkers } = await api.listen();
  address.url ||= own;
  await events.start();
  alerts.start();
  publishCoreAddress(config.dataDir, forWorkers);
  const closeOperator = await openOperator({ ...base, ingest, jobs, api: api.ports, onTraces: takers.onTraces });
  return {
    address: own,
    stop: async () => {
      await Promise.all([api.close(responsesEndMs), closeOperator(responsesEndMs)]);
      for (const end of ends) end();
      await alerts.stop();
      await events.stop();
      await takers.close();
      await series.close();
      await Promise.all([ingest.drain.stop(drainEndMs), jobs.stop()]);
      await ingest.interpreter.close();
      await closeBase(base);
      for (const lock of locks) lock.release();
    },
  };
}

function holdLocks(config: Config): readonly ProcessLock[] {
  const { spool } = dataPaths(config);
  ensureFolder(spool);
  return [holdLock(config, coreLockOf(config), 'core'), holdLock(config, path.join(spool, 'ingest.lock'), 'ingest')];
}

/** Removes files that a killed process left half-written. Younger ones may belong to a process that has just started too. */
function removeLeftovers(config: Config): void {
  const { spool, deadLetters } = dataPaths(config);
  for (const folder of [config.dataDir, spool, deadLetters]) removeUnfinished(folder, performance.timeOrigin);
}

/** What the rooms of the core share. */
async function openBase(config: Config, connect: Connect | undefined) {
  const meter = new Meter(coreFamilies);
  const observe = measured(meter, makeLogger(config.logLevel, 'core'));
  const database = await openExistingMetadata(config, 'core', observe);
  const stores = await openEventStores(config, database, observe);
  const audit = await openAudit(config, systemClock.now, observe);
  const alerts = await AlertDefinitions.open(database);
  const onWait: NoteWait = (lane, ms) => countWait(meter, lane, ms);
  const store = await openReadyStore(config, observe, { onWait, connect, changeLog: stores.updateNotes });
  const hasStored = openCheckpointFile(dataPaths(config).spool).load().lastBatch > 0;
  await assertRecordStore(store, { database, location: locationOf(config.clickhouseUrl), hasStored, now: systemClock.now() });
  const prices = openPrices(config, database, observe);
  const state = openSharedState(config, observe);
  return { config, meter, observe, database, audit, ...stores, alerts, store, prices, state, joined: new JoinedCalls() };
}

type Base = Awaited<ReturnType<typeof openBase>>;

async function closeBase({ store, state, audit, events, database }: Base): Promise<void> {
  await store.close();
  await state.close();
  await events.close();
  await audit.close();
  await database.close();
}

/** Models that callers reach. */
function modelPorts({ config, prices: { book, stored } }: Base) {
  return {
    models: makeModelList(config, (name, organizationId) => modelsOf(name, { book, organization: stored.get(organizationId) })),
    modelRegistry: makeModelRegistry(book, systemClock.now),
  };
}
