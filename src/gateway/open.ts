import { failedKeysOf, keyVerifier, rejectionsOf } from '../auth/open.ts';
import { makeProviderKeyCipher } from '../auth/provider-key-cipher.ts';
import { makeCredentialHash } from '../auth/sealing.ts';
import { deploymentSecret } from '../auth/secret-key.ts';
import { dataPaths } from '../config/data-paths.ts';
import type { Config } from '../config/load.ts';
import { makeAllowList } from '../egress/allow-list.ts';
import { makeTargetGuard } from '../egress/target-guard.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import { makeKeyLookUp } from '../metadata/organization/api-keys.ts';
import { makeProviderKeyLookUp } from '../metadata/organization/provider-keys.ts';
import { makeRateLimitLookUp } from '../metadata/organization/rate-limits.ts';
import { makeRequestIdClaims } from '../metadata/request-ids.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import type { ListenerAddresses } from '../platform/http/front-page.ts';
import { clientAddressBehind } from '../platform/http/client-address.ts';
import { type CallsEnd, closeServer, listen } from '../platform/http/server.ts';
import { followTls, readTls, type TlsFiles } from '../platform/http/tls.ts';
import type { Meter } from '../platform/metrics/meter.ts';
import type { ProcessSeries } from '../spool/process-series.ts';
import type { SpoolSpace } from '../spool/usage.ts';
import type { SharedState } from '../state/shared-state.ts';
import { BodyMemory } from './bodies/memory.ts';
import { startBodyThreads } from './bodies/thread/threads.ts';
import { makeGiveFeedback } from './builtin/core-feedback.ts';
import { CodingTurns } from './cache/coding-turns.ts';
import { SingleFlight } from './cache/single-flight.ts';
import type { ExchangePorts, ForwardLimits, ForwardPorts } from './call/ports.ts';
import { CredentialHashes } from './credentials/credential-hashes.ts';
import { CredentialCache } from './credentials/credentials.ts';
import { StoredProviderKeys } from './credentials/stored-keys.ts';
import type { FrontOptions } from './front/front.ts';
import { CallsInFlight } from './http/concurrency.ts';
import type { CallLimits } from './limits/call-limits.ts';
import { EventLoopScheduler } from './limits/event-loop-scheduler.ts';
import { StoredLimits } from './limits/stored-policies.ts';
import type { RoutingPorts } from './models/by-model.ts';
import { CallLog } from './observation/call-log.ts';
import { GatewayMeter } from './observation/metrics.ts';
import { AddressNotes } from './relay/address-notes.ts';
import { UnpackingTime } from './relay/unpacking-time.ts';
import { makeProviderTable } from './routing/provider-table.ts';
import { createGatewayServer, type GatewayHealth } from './server.ts';
import { makeUpstream, type Upstream } from './upstream/upstream.ts';

/** Other rooms, as the gateway uses them. */
export interface GatewayDependencies {
  readonly config: Config;
  readonly observe: Observe;
  /** Logs each ended call; undefined: none is logged. */
  readonly logCall: Observe | undefined;
  /** Has `gatewayFamilies`. */
  readonly meter: Meter;
  readonly database: MetadataDatabase;
  readonly series: GatewaySeries;
  readonly state: Pick<SharedState, 'open'>;
  readonly takers: Pick<ForwardPorts, 'takeLog' | 'takeSpans'>;
  /** What is known of models, and what calls cost. */
  readonly pricing: Pick<RoutingPorts, 'knownModels' | 'makerOf'> & Pick<CallLimits, 'estimateCost' | 'readUser'>;
  readonly core: {
    /** Of its API; undefined before it has started. */
    readonly address: () => string | undefined;
    readonly degradedParts: () => Promise<readonly string[]>;
  };
  /** Of the listeners, as people reach them. */
  readonly addresses: ListenerAddresses;
  /** Of one listener for gateway and API; undefined where the API has its own. */
  readonly front?: FrontOptions | undefined;
  /** Of the listener's certificate; undefined: plain http. */
  readonly tlsFiles?: TlsFiles | undefined;
}

/** Where exchanges are recorded. */
export interface GatewaySeries extends Pick<ProcessSeries, 'hasSpaceFor'> {
  readonly spool: ExchangePorts['spool'];
  readonly space: Pick<SpoolSpace, 'hasFreeSpace' | 'hasSpaceForParts' | 'usedBytes'>;
}

/** One worker: its listener, and its connections to providers. */
export interface Gateway {
  readonly ports: ForwardPorts;
  /** @returns the address. @throws the system's error when the port is unavailable. */
  readonly listen: () => Promise<string>;
  /** Measures the connections to providers. */
  readonly noteConnections: () => void;
  /** Whether it takes calls, as its `/readyz` says. */
  readonly isReady: () => boolean;
  /** Takes no further calls and lets the running ones end. The series, into which they record, is closed after this and before `close`. */
  readonly stop: (calls: CallsEnd) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Clients have this long to read the last responses of a stopping gateway. */
const responsesEndMs = 300;

/** @param given what a test has in place of the room's own. */
export function openGateway(dependencies: GatewayDependencies, given: Partial<ForwardPorts> = {}): Gateway {
  const { config } = dependencies;
  const opened = openParts(dependencies, given);
  const ports: ForwardPorts = { ...portsOf(dependencies, opened), ...given };
  const health = makeHealth(dependencies);
  const { tlsFiles } = dependencies;
  const { server, draining, renew } = createGatewayServer(ports, health.read, {
    headerMaxBytes: config.headerMaxBytes,
    requestTimeoutMs: config.requestTimeoutMs,
    keepAliveTimeoutMs: config.keepAliveTimeoutMs,
    maxConnections: config.clientConnections,
    corsOrigins: config.corsOrigins,
    addresses: dependencies.addresses,
    front: dependencies.front,
    tls: tlsFiles === undefined ? undefined : readTls(tlsFiles),
  });
  const endFollowing =
    tlsFiles === undefined ? () => undefined : followTls({ files: tlsFiles, take: renew, observe: dependencies.observe });
  return {
    ports,
    listen: async () => {
      const address = await listen(server, config.host, config.port ?? config.gatewayPort);
      const { front } = dependencies;
      return front === undefined ? address : address + front.basePath + front.gatewayPath;
    },
    noteConnections: () => ports.meter.connections(ports.upstream.counts()),
    isReady: () => !draining.hasBegun && health.isReady(),
    stop: async (calls) => {
      endFollowing();
      draining.begin();
      await closeServer(server, (await draining.ended(calls)) ? responsesEndMs : 0);
    },
    close: async () => {
      await opened.upstream.close();
      await opened.largeBodies.close();
      opened.cache.close();
    },
  };
}

/** What is closed with the gateway. */
interface OpenParts {
  readonly upstream: Upstream;
  readonly largeBodies: ReturnType<typeof startBodyThreads>;
  readonly cache: SingleFlight;
}

function openParts({ config, state, observe }: GatewayDependencies, given: Partial<ForwardPorts>): OpenParts {
  const { upstream = connectProviders(config), largeBodies } = given;
  const { cache = new SingleFlight({ state: state.open, clock: systemClock, observe, waitMs: config.cacheWaitMs }) } = given;
  return {
    upstream,
    largeBodies: largeBodies === undefined ? startBodyThreads() : { ...largeBodies, close: () => Promise.resolve() },
    cache,
  };
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

/** Share of the spool's bytes from which it counts as nearly full. */
const nearlyFull = 0.9;

interface WatchedHealth {
  readonly isReady: () => boolean;
  readonly read: () => Promise<GatewayHealth>;
}

/** A gateway can take calls while it can look up keys. */
function makeHealth({ config, database, series, core }: GatewayDependencies): WatchedHealth {
  const lookUpKey = makeKeyLookUp(database);
  const isReady = (): boolean => {
    try {
      lookUpKey('');
      return true;
    } catch {
      return false;
    }
  };
  const spoolTrouble = (): readonly string[] => {
    if (!series.space.hasFreeSpace()) return ['spool'];
    return series.space.usedBytes() >= config.spoolMaxBytes * nearlyFull ? ['spool_nearly_full'] : [];
  };
  return { isReady, read: async () => ({ ready: isReady(), degraded: [...spoolTrouble(), ...(await core.degradedParts())] }) };
}

function portsOf(dependencies: GatewayDependencies, { upstream, largeBodies, cache }: OpenParts): ForwardPorts {
  const { config, observe, database, series, takers, pricing, logCall } = dependencies;
  const { monotonic, now } = systemClock;
  const secret = deploymentSecret(config.secretKey, dataPaths(config).secret);
  return {
    ...routingPorts(config),
    credentials: new CredentialCache(),
    credentialHashes: new CredentialHashes(makeCredentialHash(secret)),
    verifyKey: keyVerifier(database, config, observe),
    explainRejection: rejectionsOf(database, config),
    failedKeys: failedKeysOf(config),
    clientAddressOf: clientAddressBehind(config.trustedProxies),
    requestIdClaims: makeRequestIdClaims(database, now),
    knownModels: pricing.knownModels,
    makerOf: pricing.makerOf,
    giveFeedback: makeGiveFeedback(dependencies.core.address),
    providerKeys: storedProviderKeys(dependencies, secret),
    upstream,
    callsInFlight: new CallsInFlight(config.callsInFlight, config.organizationSharePercent),
    spool: series.spool,
    hasSpoolSpace: series.hasSpaceFor,
    takesSpoolParts: series.space.hasSpaceForParts,
    publicUrl: config.publicGatewayUrl?.replace(/\/+$/, ''),
    countryHeader: config.countryHeader,
    agentSessions: config.agentSessions === 'on',
    limits: limitsOf(config),
    takeSpans: takers.takeSpans,
    takeLog: takers.takeLog,
    callLimits: callLimits(dependencies),
    largeBodies,
    bodyMemory: new BodyMemory({
      maxBytes: config.heldBodiesBytes,
      sharePercent: config.organizationSharePercent,
      waitMs: config.shareWaitMs,
    }),
    scheduler: new EventLoopScheduler(monotonic),
    meter: new GatewayMeter(dependencies.meter),
    callLog: logCall === undefined ? undefined : new CallLog({ observe: logCall, monotonic }),
    addressNotes: new AddressNotes({ observe, monotonic }),
    unpackingTime: new UnpackingTime(monotonic),
    cache,
    codingTurns: new CodingTurns(),
    clock: systemClock,
    random: Math.random,
    observe,
  };
}

function routingPorts({ targetAllowlist, providers, bedrockRegion }: Config): Pick<ForwardPorts, 'providers' | 'targets'> {
  const allowed = makeAllowList(targetAllowlist);
  const targets = makeTargetGuard(allowed);
  return { providers: makeProviderTable(providers, { bedrockRegion, allowsLocal: allowed.allows, targets }), targets };
}

function limitsOf(config: Config): ForwardLimits {
  return {
    routeMaxBytes: config.routeMaxBytes,
    requestMaxBytes: config.requestMaxBytes,
    recordMaxBytes: config.recordMaxBytes,
    maxAttempts: config.attemptsMax,
    retryWithinMs: config.retryWithinMs,
    cachedResponseMaxBytes: config.cacheResponseMaxBytes,
    clientStallMs: config.clientStallTimeoutMs,
    spansMaxBytes: config.otlpMaxBytes,
    logMaxBytes: config.logMaxBytes,
  };
}

function storedProviderKeys({ config, database, observe }: GatewayDependencies, secret: Uint8Array): StoredProviderKeys {
  const cipher = makeProviderKeyCipher(secret);
  return new StoredProviderKeys({
    lookUp: makeProviderKeyLookUp(database),
    open: (stored) => cipher.open(stored, stored.sealed),
    monotonic: systemClock.monotonic,
    staleMaxMs: config.keyStaleMaxMs,
    observe,
  });
}

function callLimits({ database, state, pricing, observe }: GatewayDependencies): CallLimits {
  const stored = new StoredLimits({ lookUp: makeRateLimitLookUp(database), monotonic: systemClock.monotonic, observe });
  return {
    windows: { claim: (claims, now, reservation) => state.open().windows.claim(claims, now, reservation) },
    storedPolicies: (organizationId, keyId) => stored.policiesFor(organizationId, keyId),
    estimateCost: pricing.estimateCost,
    readUser: pricing.readUser,
  };
}
