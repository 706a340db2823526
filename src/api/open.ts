import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import { fileURLToPath } from 'node:url';
import type { Alerts } from '../alerts/alerts.ts';
import type { Audit } from '../audit/open.ts';
import { makeApiKeys } from '../auth/api-keys.ts';
import { makeBodyAddresses } from '../auth/body-address.ts';
import { failedKeysOf, keyVerifier, rejectionsOf } from '../auth/open.ts';
import { makeProviderKeyCipher } from '../auth/provider-key-cipher.ts';
import { makeProviderKeyVault } from '../auth/provider-keys.ts';
import { clientAddressMark } from '../auth/sealing.ts';
import { deploymentSecret } from '../auth/secret-key.ts';
import { dataPaths } from '../config/data-paths.ts';
import { listenerAddresses } from '../config/listener-addresses.ts';
import { tlsFilesOf } from '../config/tls-files.ts';
import type { Config } from '../config/load.ts';
import type { Ingest } from '../ingest/open.ts';
import type { Jobs } from '../jobs/open.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { clientAddressBehind, clientAddressOfWorker } from '../platform/http/client-address.ts';
import { closeServer, listening } from '../platform/http/server.ts';
import { followTls, readTls } from '../platform/http/tls.ts';
import { SharedWork } from '../platform/shared-work.ts';
import type { Meter } from '../platform/metrics/meter.ts';
import { KnownNames } from '../query/hints/known-names.ts';
import type { Store } from '../store/store.ts';
import { createApi } from './app.ts';
import type { ApiPorts } from './endpoint/ports.ts';
import { responseMaxBytes } from './http/response-memory.ts';
import { type ApiListener, serveApi } from './listen.ts';
import { openApiDocument } from './openapi.ts';
import { makeDashboard } from './parts/dashboard.ts';
import { makeExports } from './parts/exports.ts';
import { HintLookUps } from './parts/hint-look-ups.ts';
import { makeMcpPorts } from './parts/mcp.ts';
import { makePropertyPorts } from './parts/properties.ts';
import { makeRateLimits } from './parts/rate-limits.ts';
import { makeSignInPorts } from './parts/sign-in.ts';
import type { Streams } from './stream/streams.ts';
import { siteFilesIn } from './site/files.ts';

/** What `scripts/pages.mjs` makes beside the compiled program. */
const sitePath = fileURLToPath(new URL('../pages', import.meta.url));

/** Other rooms, as the API uses them. */
export interface ApiDependencies extends Pick<
  ApiPorts,
  'takeLog' | 'takeSpans' | 'webhooks' | 'health' | 'metrics' | 'models' | 'modelRegistry' | 'answerMemory'
> {
  readonly config: Config;
  readonly observe: Observe;
  readonly meter: Meter;
  readonly database: MetadataDatabase;
  readonly store: Store;
  readonly ingest: Pick<
    Ingest,
    'changer' | 'sessions' | 'declaredNames' | 'redactionRules' | 'inFlightOf' | 'freshUntil' | 'oldestUnstored'
  >;
  readonly jobs: Pick<Jobs, 'bulk' | 'imports' | 'prices'> & {
    readonly removals: Pick<Jobs['removals'], 'retentionPorts' | 'erasurePorts'>;
  };
  readonly alerts: Alerts;
  readonly audit: Audit;
  readonly streams: Streams;
  /** Of the program. */
  readonly version: string;
  /** Address of the API. */
  readonly baseUrl: () => string;
}

export interface ApiAddresses {
  /** Of the API's own listener; undefined at the one address. */
  readonly own: string | undefined;
  /** Where gateway workers reach it, in plain http on this machine. */
  readonly forWorkers: string;
}

export interface OpenApi {
  /** For endpoints that the operator has too. */
  readonly ports: ApiPorts;
  readonly listen: () => Promise<ApiAddresses>;
  /** @param maxMs for running responses. */
  readonly close: (maxMs: number) => Promise<void>;
}

/** Opens the API; it listens later, when whatever a call may reach has begun. */
export function openApi(dependencies: ApiDependencies): OpenApi {
  const { config, version, streams } = dependencies;
  const ports = apiPortsOf(dependencies);
  const servers: Server[] = [];
  let endFollowing: (() => void) | undefined;
  return {
    ports,
    listen: async () => {
      const api = createApi(ports, documentOf(version, config.basePath));
      const { keepAliveTimeoutMs, clientStallTimeoutMs: clientStallMs } = config;
      const serveAt = (listener: Pick<ApiListener, 'host' | 'port' | 'tls' | 'clientAddressOf'>): Promise<string> => {
        const server = serveApi(api, { ...listener, keepAliveTimeoutMs, clientStallMs });
        servers.push(server);
        return listening(server);
      };
      const tlsFiles = tlsFilesOf(config);
      const forWorkers = { host: '127.0.0.1', port: 0, clientAddressOf: clientAddressOfWorker(workerMarkOf(config)) };
      // At the one address the gateway workers listen, and pass on what is the API's.
      if (config.port !== undefined) return { own: undefined, forWorkers: await serveAt(forWorkers) };
      const tls = tlsFiles === undefined ? undefined : readTls(tlsFiles);
      const own = await serveAt({
        host: config.host,
        port: config.apiPort,
        tls,
        clientAddressOf: clientAddressBehind(config.trustedProxies),
      });
      if (tlsFiles === undefined) return { own, forWorkers: own };
      const [secure] = servers as readonly unknown[] as readonly SecureServer[];
      endFollowing = followTls({ files: tlsFiles, take: (renewed) => secure?.setSecureContext(renewed), observe: dependencies.observe });
      return { own, forWorkers: await serveAt(forWorkers) };
    },
    close: async (maxMs) => {
      endFollowing?.();
      streams.stop();
      await Promise.all(servers.map((server) => closeServer(server, maxMs)));
    },
  };
}

function workerMarkOf(config: Config): string {
  return clientAddressMark(deploymentSecret(config.secretKey, dataPaths(config).secret));
}

/** The OpenAPI document, made when it is first asked for: it takes a start 50 ms. */
function documentOf(version: string, basePath: string): () => object {
  let document: object | undefined;
  return () => (document ??= openApiDocument(version, basePath));
}

/** What endpoints use, from the rooms that have it. */
export function apiPortsOf(dependencies: ApiDependencies): ApiPorts {
  const { config, database, store, ingest, jobs, audit, version, baseUrl } = dependencies;
  const { changer, sessions, declaredNames, redactionRules, inFlightOf, freshUntil, oldestUnstored } = ingest;
  const { now } = systemClock;
  return {
    ...dependencies,
    ...keyPorts(dependencies),
    ...answerPorts(config),
    run: store.run,
    changeRequest: (principal, requestId, change) => changer.change(principal, requestId, change),
    sessions,
    jobs: jobs.bulk,
    inFlightOf,
    freshUntil,
    exports: makeExports({ now, oldestUnstored }),
    ...makePropertyPorts({ database, store, declaredNames, now }),
    ...makeDashboard(database, now),
    rateLimits: makeRateLimits(database, now),
    redactionRules,
    retention: jobs.removals.retentionPorts,
    erasures: jobs.removals.erasurePorts,
    imports: jobs.imports,
    prices: jobs.prices,
    noteAudit: audit.note,
    searchAudit: audit.search,
    ...makeMcpPorts({ version, baseUrl }),
  };
}

/** Keys, sessions of browsers, and addresses that need no key. */
function keyPorts({ config, database, audit, observe, baseUrl }: ApiDependencies) {
  const secret = deploymentSecret(config.secretKey, dataPaths(config).secret);
  const bodyAddresses = makeBodyAddresses(secret, systemClock.now);
  return {
    verifyKey: keyVerifier(database, config, observe),
    explainRejection: rejectionsOf(database, config),
    failedKeys: failedKeysOf(config),
    bodyAddressOf: (owner, requestId) => baseUrl() + bodyAddresses.pathOf(owner, requestId),
    checkBodyAddress: bodyAddresses.check,
    apiKeys: makeApiKeys(database, config.region, systemClock.now),
    providerKeys: makeProviderKeyVault(database, makeProviderKeyCipher(secret), systemClock.now),
    ...makeSignInPorts({ database, config, secret, noteAudit: audit.note, observe, baseUrl }),
  } satisfies Partial<ApiPorts>;
}

/** What answers share, whatever they say. */
function answerPorts(config: Config) {
  return {
    monotonic: systemClock.monotonic,
    site: { addresses: listenerAddresses(config), basePath: config.basePath, file: siteFilesIn(sitePath, config.basePath) },
    bodyMaxBytes: config.apiBodyMaxBytes,
    corsOrigins: config.corsOrigins,
    answerMaxBytes: responseMaxBytes,
    now: systemClock.now,
    knownNames: new KnownNames(),
    limitUsages: new SharedWork(),
    hintLookUps: new HintLookUps(systemClock.monotonic),
  } satisfies Partial<ApiPorts>;
}
