import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { serve } from '@hono/node-server';
import { createApi } from './api/app.ts';
import { openApiDocument } from './api/openapi.ts';
import { firstRows } from './api/request-items.ts';
import { explainRejection } from './auth/rejection.ts';
import { KeyVerifier } from './auth/verify.ts';
import type { Config } from './config/load.ts';
import { createGateway } from './gateway/app.ts';
import type { ForwardPorts } from './gateway/forward.ts';
import { makeProviderTable } from './gateway/providers.ts';
import { makeUpstream } from './gateway/upstream.ts';
import { makeDeadLetters } from './ingest/dead-letter.ts';
import { Drain } from './ingest/drain.ts';
import { startInterpreterThread } from './ingest/interpreter-thread.ts';
import { openPendingUpdates } from './ingest/pending-updates.ts';
import { PropertyUpdater } from './ingest/property-updates.ts';
import { makeKeyLookUp } from './metadata/api-keys.ts';
import type { MetadataDatabase } from './metadata/database.ts';
import { openMigratedMetadata } from './metadata/migrate.ts';
import { DeclaredNames } from './metadata/declared-names.ts';
import { makeRequestIdClaims } from './metadata/request-ids.ts';
import type { OrganizationId, RequestId } from './model/ids.ts';
import type { Observe } from './model/observation.ts';
import type { Principal } from './model/principal.ts';
import { systemClock } from './platform/clock.ts';
import { ensureFolder } from './platform/files.ts';
import { makeLogger } from './platform/logger.ts';
import { lowerPriority } from './platform/priority.ts';
import { type ProcessLock, takeLock } from './platform/process-lock.ts';
import { requestStatements } from './query/request.ts';
import { openCheckpointFile, spoolIdentity } from './spool/checkpoint.ts';
import { watchSpoolSpace } from './spool/space.ts';
import { openSpoolWriter } from './spool/writer.ts';
import { openStore, type Store } from './store/store.ts';
import type { RunningRole } from './supervisor/child.ts';

/** Folders and files of one deployment. */
function placesOf(config: Config): { readonly spool: string; readonly store: string; readonly deadLetters: string } {
  const inData = (name: string): string => path.join(config.dataDir, name);
  return { spool: inData('spool'), store: inData('clickhouse'), deadLetters: inData('dead-letters') };
}

/** How long a stopping gateway lets running calls go on, milliseconds. */
const callsEndMs = 1500;
/** How long a stopping core stores what is left, milliseconds; the rest stays in the spool. */
const drainEndMs = 1200;
const spoolSyncMs = 1000;
const spoolCountMs = 1000;
const closePollMs = 25;
/** Longest wait of a property update for a record that is just being stored, milliseconds. */
const updateWaitMs = 10_000;
const largestQueryMemoryShare = 0.5;

type VerifyKey = (key: string) => Principal | undefined | Promise<Principal | undefined>;

/** Starts one gateway worker: listener, connections to providers, its series in the spool, keys. */
export async function startGateway(config: Config): Promise<RunningRole> {
  const observe = makeLogger(config.logLevel, 'gateway');
  const places = placesOf(config);
  ensureFolder(places.spool);
  const database = await openMigratedMetadata(config.dataDir, 'gateway', systemClock.now, observe);
  const spool = openSpoolWriter({
    folder: places.spool,
    series: `${String(systemClock.now()).padStart(14, '0')}-${process.pid}`,
    segmentMaxBytes: config.spoolSegmentBytes,
    segmentMaxMs: config.spoolSegmentSeconds * 1000,
    sync: config.spoolSync,
    syncIntervalMs: spoolSyncMs,
    onFailure: (error) => observe({ kind: 'spool_append_failed', reason: error.message }),
    monotonic: systemClock.monotonic,
  });
  const space = watchSpoolSpace({ folder: places.spool, mostBytes: config.spoolMaxBytes, intervalMs: spoolCountMs, appendedBytes: spool.bytes });
  const upstream = makeUpstream({
    connectTimeoutMs: config.providerConnectTimeoutMs,
    headersTimeoutMs: config.providerHeadersTimeoutMs,
    bodyTimeoutMs: config.providerBodyTimeoutMs,
    connections: config.providerConnections,
    headerMaxBytes: config.headerMaxBytes,
  });
  const ports: ForwardPorts = {
    verifyKey: keyVerifier(database, config, observe),
    explainRejection: (key) => explainRejection(key, config),
    claimRequestId: makeRequestIdClaims(database, systemClock.now).claim,
    providers: makeProviderTable(config.providers),
    upstream,
    spool,
    hasSpoolRoom: space.hasRoom,
    limits: { routeMaxBytes: config.routeMaxBytes, requestMaxBytes: config.requestMaxBytes, recordMaxBytes: config.recordMaxBytes },
    clock: systemClock,
    observe,
  };
  const health = (): { ready: boolean; degraded: string[] } => ({ ready: true, degraded: space.hasRoom() ? [] : ['spool'] });
  const server = createGateway(ports, health, { headerMaxBytes: config.headerMaxBytes, requestTimeoutMs: config.providerBodyTimeoutMs });
  const address = await listen(server, config.host, config.gatewayPort);
  return {
    address,
    stop: async () => {
      await closeServer(server, callsEndMs);
      await spool.close();
      space.close();
      await upstream.close();
      await database.close();
    },
  };
}

/** Starts the core: the store, the ingest, the API. */
export async function startCore(config: Config, version: string): Promise<RunningRole> {
  const observe = makeLogger(config.logLevel, 'core');
  const places = placesOf(config);
  ensureFolder(places.spool);
  lowerPriority();
  const locks = [holdLock(path.join(config.dataDir, 'core.lock'), 'core'), holdLock(path.join(places.spool, 'ingest.lock'), 'ingest')];
  const database = await openMigratedMetadata(config.dataDir, 'core', systemClock.now, observe);
  const store = openStore(config.clickhouseUrl === undefined ? { folder: places.store } : { url: config.clickhouseUrl }, {
    queryTimeoutMs: config.queryTimeoutMs,
    queryMemoryBytes: Math.floor(config.storeMemoryBytes * largestQueryMemoryShare),
  });
  await store.migrate((name) => observe({ kind: 'migration_applied', database: 'store', name }));
  const interpreter = startInterpreterThread();
  const pendingUpdates = await openPendingUpdates(database);
  const declaredNames = new DeclaredNames(database, systemClock.now);
  const drain = new Drain({
    spoolFolder: places.spool,
    spoolId: spoolIdentity(places.spool),
    checkpoint: openCheckpointFile(places.spool),
    interpret: interpreter.interpret,
    insert: store.insert,
    pendingUpdates,
    declaredNames: (organizationId) => declaredNames.of(organizationId),
    keepDeadLetter: makeDeadLetters(places.deadLetters, systemClock.now),
    limits: { mostRows: config.ingestBatchRows, mostBytes: config.ingestBatchBytes },
    intervalMs: config.ingestIntervalMs,
    clock: systemClock,
    observe,
  });
  drain.start();
  const updater = new PropertyUpdater({
    catchUp: () => drain.catchUp(),
    inFlight: drain.inFlight,
    pendingUpdates,
    findStored: (organizationId, requestId) => findStored(store, organizationId, requestId),
    updateStored: store.updateProperties,
    now: systemClock.now,
    storeWaitMs: updateWaitMs,
  });
  const api = createApi(
    {
      verifyKey: keyVerifier(database, config, observe),
      explainRejection: (key) => explainRejection(key, config),
      run: store.run,
      updateProperties: (principal, requestId, properties) => updater.update(principal, requestId, properties),
      isTravelling: (organizationId, requestId) => {
        drain.catchUp();
        return drain.inFlight.find(organizationId, requestId) !== undefined;
      },
      declareProperty: (organizationId, name) => declaredNames.declare(organizationId, name),
      failingParts: async () => [...((await isAlive(store)) ? [] : ['store']), ...(drain.isDraining() ? [] : ['ingest'])],
      observe,
      bodyMaxBytes: config.apiBodyMaxBytes,
    },
    openApiDocument(version),
  );
  const server = serve({ fetch: api.fetch, hostname: config.host, port: config.apiPort }) as Server;
  const address = await listening(server);
  return {
    address,
    stop: async () => {
      await closeServer(server, closePollMs * 4);
      await drain.stop(drainEndMs);
      await interpreter.close();
      await store.close();
      await database.close();
      for (const lock of locks) lock.release();
    },
  };
}

function keyVerifier(database: MetadataDatabase, config: Config, observe: Observe): VerifyKey {
  const verifier = new KeyVerifier({ lookUp: makeKeyLookUp(database), monotonic: systemClock.monotonic, staleMaxMs: config.keyStaleMaxMs, observe });
  return (key) => {
    const verdict = verifier.verify(key);
    if (verdict instanceof Promise) return verdict.then((settled) => (settled === 'unknown' ? undefined : settled));
    return verdict === 'unknown' ? undefined : verdict;
  };
}

async function findStored(store: Store, organizationId: OrganizationId, requestId: RequestId): Promise<number | undefined> {
  const [row] = await firstRows(requestStatements(organizationId, requestId), store.run, new AbortController().signal);
  return row === undefined ? undefined : Number(row.created_ms);
}

async function isAlive(store: Store): Promise<boolean> {
  try {
    return await store.isAlive();
  } catch {
    return false;
  }
}

/** @throws with a sentence that says who holds the lock. */
function holdLock(file: string, role: string): ProcessLock {
  const lock = takeLock(file, `${role}, process ${process.pid}`);
  if ('heldBy' in lock) throw new Error(`The data folder ${path.dirname(file)} is in use by another Gatelog (${lock.heldBy}). Stop that one, or set GATELOG_DATA_DIR to another folder.`);
  return lock;
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  return listening(server);
}

async function listening(server: Server): Promise<string> {
  if (!server.listening) {
    await new Promise<void>((resolve, reject) => {
      server.once('listening', resolve);
      server.once('error', reject);
    });
  }
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Takes no new connection, lets calls end for `mostMs`, then breaks what is left. */
async function closeServer(server: Server, mostMs: number): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), closePollMs);
  const end = setTimeout(() => server.closeAllConnections(), mostMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(idle);
  clearTimeout(end);
}
