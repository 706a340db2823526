import type { CorePrices } from '../pricing/held/core-prices.ts';
import { openPrices } from '../pricing/held/open.ts';
import type { Prices } from '../pricing/look-up.ts';
import type { OrganizationId } from '../model/ids.ts';
import { makeProviderKeyCipher } from '../auth/provider-key-cipher.ts';
import { explainRejection } from '../auth/rejection.ts';
import { makeCredentialHash } from '../auth/sealing.ts';
import { deploymentSecret } from '../auth/secret-key.ts';
import type { Config } from '../config/load.ts';
import { makeAllowList } from '../egress/allow-list.ts';
import { makeTargetGuard } from '../egress/target-guard.ts';
import { createGateway, type GatewayHealth } from '../gateway/server.ts';
import { CallsInFlight } from '../gateway/http/concurrency.ts';
import { CallLog } from '../gateway/observation/call-log.ts';
import { AddressNotes } from '../gateway/relay/address-notes.ts';
import type { CallLimits } from '../gateway/limits/call-limits.ts';
import type { ForwardPorts } from '../gateway/call/ports.ts';
import { CredentialHashes } from '../gateway/credentials/credential-hashes.ts';
import { CredentialCache } from '../gateway/credentials/credentials.ts';
import type { LargeBodies } from '../gateway/bodies/threads.ts';
import { HeldBodies } from '../gateway/bodies/memory.ts';
import { EventLoopScheduler } from '../gateway/limits/event-loop-scheduler.ts';
import { GatewayMeter } from '../gateway/observation/metrics.ts';
import { makeProviderTable } from '../gateway/routing/provider-table.ts';
import { StoredLimits } from '../gateway/limits/stored-policies.ts';
import { StoredProviderKeys } from '../gateway/credentials/stored-keys.ts';
import { SingleFlight } from '../gateway/cache/single-flight.ts';
import { makeUpstream, type Upstream } from '../gateway/upstream/upstream.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import { makeKeyLookUp } from '../metadata/organization/api-keys.ts';
import { makeProviderKeyLookUp } from '../metadata/organization/provider-keys.ts';
import { makeRateLimitLookUp } from '../metadata/organization/rate-limits.ts';
import { makeRequestIdClaims } from '../metadata/request-ids.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { ensureFolder } from '../platform/files.ts';
import { closeServer, listen } from '../platform/http/server.ts';
import { makeLogger } from '../platform/logger.ts';
import { releaseMemoryAtRest } from '../platform/memory/at-rest.ts';
import { Meter } from '../platform/metrics/meter.ts';
import { measured } from '../platform/metrics/observed.ts';
import { sampleProcess } from '../platform/metrics/process-sampler.ts';
import type { SpoolSpace } from '../spool/usage.ts';
import type { SpoolByLoad } from '../spool/busy-series.ts';
import { type RunningRole, reportMetrics } from '../supervisor/child.ts';
import { startBodyThreads } from '../gateway/bodies/thread/threads.ts';
import { coreAddress, degradedCoreParts } from '../supervisor/core-address.ts';
import { makeGiveFeedback } from '../gateway/builtin/core-feedback.ts';
import { makeCostEstimate, readUser } from '../pricing/estimate/estimate-cost.ts';
import { familiesOf } from '../health/metric-families.ts';
import { makeMakerOf } from '../pricing/models/model-makers.ts';
import { modelsOf } from '../pricing/models/models-of.ts';
import { openSharedState, type SharedState } from '../state/shared-state.ts';
import { listenerAddresses } from '../config/listener-addresses.ts';
import { startGatewayTakers, type Takers } from '../intake/open.ts';
import { openOwnSeries } from '../spool/own-series.ts';
import { failedKeysOf, keyVerifier } from '../auth/open.ts';
import { openExistingMetadata } from '../metadata/open.ts';
import { rejectUnsupportedSettings } from './shared.ts';
import { dataPaths } from '../config/data-paths.ts';

/** Clients have this long to read the last responses of a stopping gateway. */
const responsesEndMs = 300;

/** Starts one gateway worker: its spool series, key checks, connections to providers and the listener; stops them in reverse. */
export async function startGateway(config: Config): Promise<RunningRole> {
  rejectUnsupportedSettings(config);
  const meter = new Meter(familiesOf.gateway);
  const log = makeLogger(config.logLevel, 'gateway');
  const observe = measured(meter, log);
  const callLog = logsCalls(config) ? new CallLog({ observe: log, monotonic: systemClock.monotonic }) : undefined;
  ensureFolder(dataPaths(config).spool);
  const database = await openExistingMetadata(config, 'gateway', observe);
  const series = openOwnSeries(config, observe);
  const upstream = connectProviders(config);
  const state = openSharedState(config, observe);
  const cache = new SingleFlight({ state: state.open, clock: systemClock, observe, waitMs: config.cacheWaitMs });
  const prices = openPrices(config, database, observe);
  const callMeter = new GatewayMeter(meter);
  const sampled = (): void => {
    callMeter.connections(upstream.counts());
    reportMetrics(meter.cells);
  };
  const timers = [sampleProcess(meter, sampled), releaseMemoryAtRest()];
  const lookUpKey = makeKeyLookUp(database);
  const bodies = startBodyThreads();
  const logs = startGatewayTakers(config, series, { database, observe });
  const health = async (): Promise<GatewayHealth> => ({
    ready: canCheckKeys(lookUpKey),
    degraded: [...spoolTrouble(series.space, config.spoolMaxBytes), ...(await degradedCoreParts(config.dataDir))],
  });
  const { server, draining } = createGateway(
    forwardPorts(config, { ...series, database, upstream, state, cache, bodies, logs, prices, meter: callMeter, callLog, observe }),
    health,
    {
      headerMaxBytes: config.headerMaxBytes,
      requestTimeoutMs: config.requestTimeoutMs,
      keepAliveTimeoutMs: config.keepAliveTimeoutMs,
      maxConnections: config.clientConnections,
      corsOrigins: config.corsOrigins,
      addresses: listenerAddresses(config),
    },
  );
  const address = await listen(server, config.host, config.gatewayPort);
  return {
    address,
    stop: async (calls) => {
      draining.begin();
      await closeServer(server, (await draining.ended(calls)) ? responsesEndMs : 0);
      for (const end of timers) end();
      await logs.close();
      await series.close();
      await upstream.close();
      await bodies.close();
      cache.close();
      await state.close();
      await database.close();
    },
  };
}

/** `auto` logs calls on a terminal. */
function logsCalls({ logCalls }: Config): boolean {
  return logCalls === 'on' || (logCalls === 'auto' && process.stderr.isTTY);
}

/** Share of the spool's bytes from which it counts as nearly full. */
const nearlyFull = 0.9;

function spoolTrouble(space: SpoolSpace, maxBytes: number): readonly string[] {
  if (!space.hasFreeSpace()) return ['spool'];
  return space.usedBytes() >= maxBytes * nearlyFull ? ['spool_nearly_full'] : [];
}

/** A gateway can take calls while it can look up keys. */
function canCheckKeys(lookUp: (keyHash: string) => unknown): boolean {
  try {
    lookUp('');
    return true;
  } catch {
    return false;
  }
}

function connectProviders(config: Config): Upstream {
  return makeUpstream({
    connectTimeoutMs: config.providerConnectTimeoutMs,
    headersTimeoutMs: config.providerHeadersTimeoutMs,
    bodyTimeoutMs: config.providerBodyTimeoutMs,
    connections: config.providerConnections,
    organizationSharePercent: config.organizationSharePercent,
    shareWaitMs: config.shareWaitMs,
    idleTimeoutMs: config.providerIdleTimeoutMs,
    headerMaxBytes: config.headerMaxBytes,
    monotonic: systemClock.monotonic,
  });
}

interface GatewayParts {
  readonly database: MetadataDatabase;
  readonly spool: SpoolByLoad;
  readonly space: SpoolSpace;
  readonly hasSpaceFor: (organizationId: string) => boolean;
  readonly upstream: Upstream;
  readonly state: SharedState;
  readonly cache: SingleFlight;
  readonly bodies: LargeBodies;
  readonly logs: Takers;
  readonly prices: CorePrices;
  readonly meter: GatewayMeter;
  readonly callLog: CallLog | undefined;
  readonly observe: Observe;
}

function forwardPorts(config: Config, parts: GatewayParts): ForwardPorts {
  const { database, spool, space, upstream, cache, observe } = parts;
  const allowed = makeAllowList(config.targetAllowlist);
  const targets = makeTargetGuard(allowed);
  const secret = deploymentSecret(config.secretKey, dataPaths(config).secret);
  return {
    credentials: new CredentialCache(),
    credentialHashes: new CredentialHashes(makeCredentialHash(secret)),
    verifyKey: keyVerifier(database, config, observe),
    explainRejection: (key) => explainRejection(key, config),
    failedKeys: failedKeysOf(config),
    requestIdClaims: makeRequestIdClaims(database, systemClock.now),
    providers: makeProviderTable(config.providers, { bedrockRegion: config.bedrockRegion, allowsLocal: allowed.allows, targets }),
    targets,
    knownModels: (name, organizationId) => modelsOf(name, pricesOf(parts, organizationId)),
    makerOf: makeMakerOf(parts.prices.book, systemClock.now),
    giveFeedback: makeGiveFeedback(() => coreAddress(config.dataDir)),
    providerKeys: storedProviderKeys(config, parts, secret),
    upstream,
    callsInFlight: new CallsInFlight(config.callsInFlight, config.organizationSharePercent),
    spool,
    hasSpoolSpace: parts.hasSpaceFor,
    takesSpoolParts: space.hasSpaceForParts,
    publicUrl: config.publicGatewayUrl?.replace(/\/+$/, ''),
    countryHeader: config.countryHeader,
    agentSessions: config.agentSessions === 'on',
    limits: {
      routeMaxBytes: config.routeMaxBytes,
      requestMaxBytes: config.requestMaxBytes,
      recordMaxBytes: config.recordMaxBytes,
      maxAttempts: config.attemptsMax,
      retryWithinMs: config.retryWithinMs,
      cachedResponseMaxBytes: config.cacheResponseMaxBytes,
      clientStallMs: config.clientStallTimeoutMs,
      spansMaxBytes: config.otlpMaxBytes,
      logMaxBytes: config.logMaxBytes,
    },
    takeSpans: parts.logs.takeSpans,
    takeLog: parts.logs.takeLog,
    callLimits: callLimits(config, parts),
    largeBodies: parts.bodies,
    heldBodies: new HeldBodies({
      maxBytes: config.heldBodiesBytes,
      sharePercent: config.organizationSharePercent,
      waitMs: config.shareWaitMs,
    }),
    scheduler: new EventLoopScheduler(systemClock.monotonic),
    meter: parts.meter,
    callLog: parts.callLog,
    addressNotes: new AddressNotes({ observe: parts.observe, monotonic: systemClock.monotonic }),
    cache,
    clock: systemClock,
    random: Math.random,
    observe,
  };
}

function pricesOf({ prices: { book, stored } }: Pick<GatewayParts, 'prices'>, organizationId: OrganizationId): Prices {
  return { book, organization: stored.get(organizationId) };
}

function storedProviderKeys(config: Config, { database, observe }: GatewayParts, secret: Uint8Array): StoredProviderKeys {
  const cipher = makeProviderKeyCipher(secret);
  return new StoredProviderKeys({
    lookUp: makeProviderKeyLookUp(database),
    open: (stored) => cipher.open(stored, stored.sealed),
    monotonic: systemClock.monotonic,
    staleMaxMs: config.keyStaleMaxMs,
    observe,
  });
}

function callLimits({ budgetReserveCents }: Config, { database, state, prices, observe }: GatewayParts): CallLimits {
  const { monotonic } = systemClock;
  const stored = new StoredLimits({ lookUp: makeRateLimitLookUp(database), monotonic, observe });
  return {
    windows: { claim: (claims, now, reservation) => state.open().windows.claim(claims, now, reservation) },
    storedPolicies: (organizationId, keyId) => stored.policiesFor(organizationId, keyId),
    estimateCost: makeCostEstimate(budgetReserveCents, (organizationId) => pricesOf({ prices }, organizationId)),
    readUser,
  };
}
