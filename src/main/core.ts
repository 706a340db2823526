import type { Server } from 'node:http';
import path from 'node:path';
import { JoinedCalls } from '../intake/spans/joined-calls.ts';
import { fileURLToPath } from 'node:url';
import { HintLookUps } from '../api/parts/hint-look-ups.ts';
import { ResponseMemory, responseMaxBytes } from '../api/http/response-memory.ts';
import type { Alerts } from '../alerts/alerts.ts';
import { AlertDefinitions } from '../alerts/definitions.ts';
import { createApi } from '../api/app.ts';
import { serveApi } from '../api/listen.ts';
import { openApiDocument } from '../api/openapi.ts';
import { siteFilesIn } from '../api/site/files.ts';
import type { ApiPorts } from '../api/endpoint/ports.ts';
import type { Streams } from '../api/stream/streams.ts';
import { makeBodyAddresses } from '../auth/body-address.ts';
import { makeProviderKeyCipher } from '../auth/provider-key-cipher.ts';
import { makeApiKeys } from '../auth/api-keys.ts';
import { makeProviderKeyVault } from '../auth/provider-keys.ts';
import { explainRejection } from '../auth/rejection.ts';
import { deploymentSecret } from '../auth/secret-key.ts';
import type { Config } from '../config/load.ts';
import type { StoredOrder } from '../ingest/batch/stored-order.ts';
import { DeadLetters } from '../ingest/dead-letters/store.ts';
import type { Drain } from '../ingest/drain.ts';
import { freshUntil } from '../ingest/fresh-until.ts';
import { RunningErasures } from '../ingest/erasures.ts';
import { SpendCounters } from '../ingest/spend-counters.ts';
import { type InterpreterThread, startInterpreterThread } from '../ingest/worker/thread.ts';
import { DeadLetterQuota } from '../ingest/dead-letters/quota.ts';
import { openPendingChanges, type PendingChanges } from '../ingest/changes/pending.ts';
import type { TrustedClock } from '../jobs/trusted-clock.ts';
import { DeclaredNames } from '../metadata/organization/declared-names.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import { takesWrites } from '../platform/sqlite/database.ts';
import { makeImportedPriceLookUp } from '../metadata/operator-prices.ts';
import { makeOrganizationPriceLookUp } from '../metadata/organization/prices.ts';
import { latestJobNumber } from '../metadata/jobs.ts';
import { makeRateLimits } from '../api/parts/rate-limits.ts';
import { RedactionRules } from '../metadata/organization/redaction-rules.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { ensureFolder, removeUnfinished } from '../platform/files.ts';
import { closeServer, listening } from '../platform/http/server.ts';
import { makeLogger } from '../platform/logger.ts';
import { releaseMemoryAtRest } from '../platform/memory/at-rest.ts';
import { releaseLibraryAtRest } from '../platform/memory/library-pages.ts';
import { Meter } from '../platform/metrics/meter.ts';
import { measured } from '../platform/metrics/observed.ts';
import { sampleProcess } from '../platform/metrics/process-sampler.ts';
import { lowerPriority } from '../platform/priority.ts';
import type { ProcessLock } from '../platform/process-lock.ts';
import { listedBook } from '../pricing/layers/books.ts';
import { KnownNames } from '../query/hints/known-names.ts';
import { openCheckpointFile } from '../spool/checkpoint.ts';
import type { Connect } from '../store/engine/connections.ts';
import { engineLibrary } from '../store/engine/embedded-engine.ts';
import { countWait } from '../store/engine/metrics.ts';
import type { Store } from '../store/store.ts';
import type { RunningRole } from '../supervisor/child.ts';
import { HealthProbe } from '../platform/health-probe.ts';
import { openSharedState, type SharedState } from '../state/shared-state.ts';
import { boundDeadLetters, makeDeadLetterReplay, operatorServer } from '../operator/open.ts';
import { serveOperator } from '../operator/socket.ts';
import { makeTrustedClock, makeRemovals, type Removals } from '../jobs/open.ts';
import { healthOf, type Watches } from '../health/health.ts';
import { makeMetricsPorts } from '../health/metrics-ports.ts';
import { jobPorts, makeBulkJobs } from '../jobs/bulk/open.ts';
import type { BulkJobs } from '../jobs/bulk/bulk-jobs.ts';
import { readingsOf } from '../api/parts/readings.ts';
import { type Changers, makeChangers } from '../ingest/changers.ts';
import { publishCoreAddress } from '../supervisor/core-address.ts';
import { coreFamilies } from '../health/core-metrics.ts';
import { listenerAddresses } from '../config/listener-addresses.ts';
import { lowerMerges, openReadyStore } from '../store/open.ts';
import { makeDashboardPorts } from '../api/parts/dashboard.ts';
import { makeMcpPorts } from '../api/parts/mcp.ts';
import { makePropertyPorts } from '../api/parts/properties.ts';
import { makeSignInPorts } from '../api/parts/sign-in.ts';
import { makeModelList } from '../gateway/builtin/open-model-list.ts';
import { makeModelRegistry } from '../pricing/held/model-registry.ts';
import { holdImportedPrices } from '../pricing/held/imported-prices.ts';
import { readPricesFile } from '../pricing/held/prices-file.ts';
import { makePricePorts } from '../jobs/request-costs.ts';
import type { AllCorePrices } from '../pricing/held/core-prices.ts';
import { makeAlertChannels } from '../events/channel-targets.ts';
import { openCoreAlerts } from '../alerts/open.ts';
import { type Events, makeEvents } from '../events/open.ts';
import { type EventStores, openEventStores } from '../events/following.ts';
import { withNotedChanges } from '../events/noted-changes.ts';
import { makeExports } from '../api/parts/exports.ts';
import { oldestUnstoredOf } from '../ingest/export-ends.ts';
import { modelsOf } from '../pricing/models/models-of.ts';
import { makeDrain, openStoredOrder } from '../ingest/open.ts';
import { makeImports } from '../ingest/imports/open.ts';
import { startCoreTakers, type Takers } from '../intake/open.ts';
import { openOwnSeries, type OwnSeries } from '../spool/own-series.ts';
import { makeStreams } from '../api/stream/open.ts';
import { makeStoredPrices } from '../pricing/held/stored-prices.ts';
import { failedKeysOf, keyVerifier } from '../auth/open.ts';
import { openExistingMetadata } from '../metadata/open.ts';
import { coreLockOf, rejectUnsupportedSettings, holdLock } from './shared.ts';
import { dataPaths } from '../config/data-paths.ts';

/** A stopping core gives running responses this long, then the drain; the rest stays in the spool. */
const responsesEndMs = 300;
const drainEndMs = 1200;
/** Maximum wait of the ingest for space among the dead letters. */
const deadLetterQuotaWaitMs = 5000;
/** Rows have up to three times the bytes of their exchanges, and two batches are in memory at a time: one being stored and the next. */
const rowBytesOfBatchByte = 8;
/** What `scripts/pages.mjs` makes beside the compiled program. */
const sitePath = fileURLToPath(new URL('../pages', import.meta.url));

interface CoreParts extends EventStores {
  readonly config: Config;
  readonly observe: Observe;
  readonly meter: Meter;
  readonly database: MetadataDatabase;
  readonly alerts: AlertDefinitions;
  readonly answerMemory: ResponseMemory;
  readonly store: Store;
  readonly interpreter: InterpreterThread;
  readonly deadLetters: DeadLetters;
  readonly deadLetterQuota: DeadLetterQuota;
  readonly pendingChanges: PendingChanges;
  readonly declaredNames: DeclaredNames;
  readonly redactionRules: RedactionRules;
  readonly prices: AllCorePrices;
  readonly state: SharedState;
  readonly running: RunningErasures;
  readonly storedOrder: StoredOrder;
  readonly streams: Streams;
  readonly spendCounters: SpendCounters;
  readonly joined: JoinedCalls;
  readonly trustedClock: TrustedClock;
  /** For calls that are logged at the API. */
  readonly series: OwnSeries;
  /** The greatest number of any accepted change. */
  readonly latestNumber: number;
  /** No recorded call from before this start came later, Unix milliseconds. */
  readonly latestBefore: number;
}

/**
 * Starts locks, metadata, store, ingest and API in this order, and stops them in reverse. @param connect opens the store's connections; a
 * test passes some that fail.
 */
export async function startCore(config: Config, version: string, connect?: Connect): Promise<RunningRole> {
  rejectUnsupportedSettings(config);
  const locks = holdLocks(config);
  removeLeftovers(config);
  const parts = await openParts(config, connect);
  const drain = makeDrain(parts);
  const changers = makeChangers(parts, drain);
  const jobs = makeBulkJobs({ ...parts, drain, changer: changers.changer });
  const base = { url: config.publicApiUrl ?? '' };
  const baseUrl = (): string => base.url;
  const channels = makeAlertChannels(parts);
  const events = makeEvents({ ...parts, readingOf: readingsOf(parts) }, baseUrl, channels.room);
  const removals = makeRemovals(parts, { drain, changer: changers.changer, deliveries: events.erase });
  await removals.start();
  await jobs.resume();
  // Not earlier: at low priority a start takes ten times as long on a busy machine, and the API is away meanwhile.
  lowerPriority();
  void lowerMerges(parts.store);
  drain.start();
  const endSampling = sampleProcess(parts.meter);
  const endReleasing = [releaseMemoryAtRest(), releaseLibraryAtRest(engineLibrary, parts.observe)];
  const takers = startCoreTakers(config, parts.series, { ...parts, changeRequest: changeRequestOf(changers) });
  const alerts = await openCoreAlerts(parts, { events, store: channels.store }, baseUrl);
  const ports = apiPorts(parts, drain, { changers, jobs, removals, takers, events, alerts: alerts.alerts, version, baseUrl });
  const server = serveCoreApi(config, ports, version);
  const address = await listening(server);
  base.url ||= address;
  await events.start();
  alerts.start();
  publishCoreAddress(config.dataDir, address);
  const operated = { ...parts, ...changers, jobs, drain, removals, api: ports, noteTraces: takers.noteTraces };
  const replay = makeDeadLetterReplay(operated);
  const stopPruning = boundDeadLetters({ ...parts, replay });
  const closeOperator = await serveOperator(config.dataDir, operatorServer(operated, replay), parts.observe);
  return {
    address,
    stop: async () => {
      stopPruning();
      parts.streams.stop();
      await Promise.all([closeServer(server, responsesEndMs), closeOperator(responsesEndMs)]);
      endSampling();
      for (const end of endReleasing) end();
      await alerts.stop();
      await events.stop();
      await takers.close();
      await parts.series.close();
      await Promise.all([drain.stop(drainEndMs), removals.stop(), jobs.stop()]);
      await parts.interpreter.close();
      await parts.store.close();
      await parts.state.close();
      await parts.events.close();
      await parts.database.close();
      for (const lock of locks) lock.release();
    },
  };
}

function serveCoreApi(config: Config, ports: ApiPorts, version: string): Server {
  return serveApi(createApi(ports, documentOf(version)), {
    host: config.host,
    port: config.apiPort,
    keepAliveTimeoutMs: config.keepAliveTimeoutMs,
    clientStallMs: config.clientStallTimeoutMs,
  });
}

function changeRequestOf({ changer }: Changers): ApiPorts['changeRequest'] {
  return (principal, requestId, change) => changer.change(principal, requestId, change);
}

/** The OpenAPI document, made when it is first asked for: it takes a start 50 ms. */
function documentOf(version: string): () => object {
  let document: object | undefined;
  return () => (document ??= openApiDocument(version));
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

async function openParts(config: Config, connect: Connect | undefined): Promise<CoreParts> {
  const meter = new Meter(coreFamilies);
  const observe = measured(meter, makeLogger(config.logLevel, 'core'));
  const database = await openExistingMetadata(config, 'core', observe);
  const eventStores = await openEventStores(config, database, observe);
  const alerts = await AlertDefinitions.open(database);
  const opened = await openReadyStore(config, observe, { onWait: (lane, ms) => countWait(meter, lane, ms), connect });
  const store = withNotedChanges(opened, eventStores.updateNotes);
  const { spent = [], lastNumber } = openCheckpointFile(dataPaths(config).spool).load();
  const pendingChanges = await openPendingChanges(database, spent);
  const latestNumber = Math.max(await store.latestChangeNumber(), await pendingChanges.latestNumber(), await latestJobNumber(database));
  const storedOrder = await openStoredOrder(lastNumber, store);
  const declaredNames = new DeclaredNames(database, systemClock);
  const redactionRules = new RedactionRules(database, systemClock);
  const { interpreter, prices } = openPricing(config, database, observe);
  const state = openSharedState(config, observe);
  const running = new RunningErasures();
  const deadLetters = new DeadLetters(dataPaths(config).deadLetters, systemClock.now);
  const startedAt = systemClock.now();
  const latestBefore = Math.max(startedAt, await store.latestArrival(startedAt), deadLetters.latestOpenedAt());
  return {
    config,
    observe,
    database,
    ...eventStores,
    alerts,
    answerMemory: new ResponseMemory({ maxBytes: config.apiAnswersMaxBytes, maxWaitMs: config.queryMaxWaitMs }),
    store,
    interpreter,
    deadLetters,
    deadLetterQuota: new DeadLetterQuota({
      deadLetters,
      maxBytes: config.deadLetterMaxBytes,
      maxWaitMs: deadLetterQuotaWaitMs,
    }),
    pendingChanges,
    declaredNames,
    redactionRules,
    prices,
    latestNumber,
    latestBefore,
    state,
    meter,
    running,
    storedOrder,
    spendCounters: new SpendCounters(),
    joined: new JoinedCalls(),
    streams: makeStreams(config, storedOrder),
    trustedClock: makeTrustedClock(database, observe),
    series: openOwnSeries(config, observe),
  };
}

/** The prices, and the thread that interprets records with them. */
function openPricing(config: Config, database: MetadataDatabase, observe: Observe): Pick<CoreParts, 'interpreter' | 'prices'> {
  const { monotonic } = systemClock;
  const pricesFile = readPricesFile(config);
  const imported = holdImportedPrices({ lookUp: makeImportedPriceLookUp(database), monotonic, observe });
  const settings = {
    searchMaxBytes: config.bodySearchMaxBytes,
    agentSessions: config.agentSessions === 'on',
    keptRowBytes: rowBytesOfBatchByte * config.ingestBatchBytes,
    pricesFile,
    threatCheckFile: config.threatCheckFile,
  };
  const interpreter = startInterpreterThread(settings, undefined, undefined, imported.current);
  const stored = makeStoredPrices({ lookUp: makeOrganizationPriceLookUp(database), monotonic, observe });
  return { interpreter, prices: { book: listedBook(pricesFile, imported.book), imported, stored } };
}

interface ApiParts {
  readonly changers: Changers;
  readonly jobs: BulkJobs;
  readonly removals: Removals;
  readonly takers: Takers;
  readonly events: Events;
  readonly alerts: Alerts;
  readonly version: string;
  readonly baseUrl: () => string;
}

function apiPorts(
  parts: CoreParts,
  drain: Drain,
  { changers, jobs, removals, takers, events, alerts, version, baseUrl }: ApiParts,
): ApiPorts {
  const { config, observe, meter, database, store, declaredNames, redactionRules, prices, streams } = parts;
  const { changer, sessions } = changers;
  const secret = deploymentSecret(config.secretKey, dataPaths(config).secret);
  const watches: Watches = {
    store: new HealthProbe(store.isAlive, systemClock.monotonic),
    metadata: new HealthProbe(() => takesWrites(database), systemClock.monotonic),
  };
  const bodyAddresses = makeBodyAddresses(secret, systemClock.now);
  return {
    verifyKey: keyVerifier(database, config, observe),
    explainRejection: (key) => explainRejection(key, config),
    failedKeys: failedKeysOf(config),
    takeSpans: takers.takeSpans,
    takeLog: takers.takeLog,
    run: store.run,
    changeRequest: changeRequestOf(changers),
    sessions,
    jobs: jobPorts(jobs, database),
    inFlightOf: async (organizationId, requestIds) => {
      await drain.catchUp();
      return requestIds.filter((requestId) => drain.inFlight.find(organizationId, requestId) !== undefined);
    },
    freshUntil: () => freshUntil(drain, systemClock.now),
    exports: makeExports({ now: systemClock.now, oldestUnstored: oldestUnstoredOf(drain) }),
    bodyAddressOf: (organizationId, requestId) => baseUrl() + bodyAddresses.pathOf(organizationId, requestId),
    checkBodyAddress: bodyAddresses.check,
    ...makePropertyPorts({ database, store, declaredNames, now: systemClock.now }),
    ...makeDashboardPorts(database, systemClock.now),
    rateLimits: makeRateLimits(database, systemClock.now),
    apiKeys: makeApiKeys(database, config.region, systemClock.now),
    ...makeSignInPorts({ database, config, secret }),
    ...modelPorts(parts, secret),
    redactionRules,
    webhooks: events.webhooks,
    alerts,
    retention: removals.retentionPorts,
    erasures: removals.erasurePorts,
    imports: makeImports({ ...parts, spoolFolder: dataPaths(config).spool, drain, changer, retention: removals.retentionPorts }),
    prices: makePricePorts({
      database,
      prices,
      changeStoredCosts: store.changeStoredCosts,
      stamp: () => changer.stamp(),
      amongChanges: (organizationId, work) => changer.shared(organizationId, work),
      now: systemClock.now,
    }),
    health: () => healthOf(watches, drain, store),
    observe,
    meter,
    metrics: makeMetricsPorts({ ...parts, drain, behindMs: events.behindMs, spoolFolder: dataPaths(config).spool }),
    streams,
    ...makeMcpPorts({ version, baseUrl }),
    ...answerPorts(parts),
  };
}

function modelPorts({ config, database, prices: { book, stored } }: CoreParts, secret: Uint8Array) {
  return {
    providerKeys: makeProviderKeyVault(database, makeProviderKeyCipher(secret), systemClock.now),
    models: makeModelList(config, (name, organizationId) => modelsOf(name, { book, organization: stored.get(organizationId) })),
    modelRegistry: makeModelRegistry(book, systemClock.now),
  } satisfies Partial<ApiPorts>;
}

/** What answers share, whatever they say. */
function answerPorts({ config, answerMemory }: Pick<CoreParts, 'config' | 'answerMemory'>) {
  return {
    monotonic: systemClock.monotonic,
    site: { addresses: listenerAddresses(config), file: siteFilesIn(sitePath) },
    bodyMaxBytes: config.apiBodyMaxBytes,
    corsOrigins: config.corsOrigins,
    answerMaxBytes: responseMaxBytes,
    answerMemory,
    now: systemClock.now,
    knownNames: new KnownNames(),
    hintLookUps: new HintLookUps(systemClock.monotonic),
  } satisfies Partial<ApiPorts>;
}
