import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Alerts } from '../alerts/alerts.ts';
import type { Audit } from '../audit/open.ts';
import { makeApiKeys } from '../auth/api-keys.ts';
import { makeBodyAddresses } from '../auth/body-address.ts';
import { failedKeysOf, keyVerifier } from '../auth/open.ts';
import { makeProviderKeyCipher } from '../auth/provider-key-cipher.ts';
import { makeProviderKeyVault } from '../auth/provider-keys.ts';
import { explainRejection } from '../auth/rejection.ts';
import { deploymentSecret } from '../auth/secret-key.ts';
import { dataPaths } from '../config/data-paths.ts';
import { listenerAddresses } from '../config/listener-addresses.ts';
import type { Config } from '../config/load.ts';
import type { Ingest } from '../ingest/open.ts';
import type { Jobs } from '../jobs/open.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { closeServer, listening } from '../platform/http/server.ts';
import { SharedWork } from '../platform/shared-work.ts';
import type { Meter } from '../platform/metrics/meter.ts';
import { KnownNames } from '../query/hints/known-names.ts';
import type { Store } from '../store/store.ts';
import { createApi } from './app.ts';
import type { ApiPorts } from './endpoint/ports.ts';
import { responseMaxBytes } from './http/response-memory.ts';
import { serveApi } from './listen.ts';
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

export interface OpenApi {
  /** For endpoints that the operator has too. */
  readonly ports: ApiPorts;
  /** @returns the address. */
  readonly listen: () => Promise<string>;
  /** @param maxMs for running responses. */
  readonly close: (maxMs: number) => Promise<void>;
}

/** Opens the API; it listens later, when whatever a call may reach has begun. */
export function openApi(dependencies: ApiDependencies): OpenApi {
  const { config, version, streams } = dependencies;
  const ports = apiPortsOf(dependencies);
  let server: Server | undefined;
  return {
    ports,
    listen: () => {
      server = serveApi(createApi(ports, documentOf(version)), {
        host: config.host,
        port: config.apiPort,
        keepAliveTimeoutMs: config.keepAliveTimeoutMs,
        clientStallMs: config.clientStallTimeoutMs,
      });
      return listening(server);
    },
    close: async (maxMs) => {
      streams.stop();
      if (server !== undefined) await closeServer(server, maxMs);
    },
  };
}

/** The OpenAPI document, made when it is first asked for: it takes a start 50 ms. */
function documentOf(version: string): () => object {
  let document: object | undefined;
  return () => (document ??= openApiDocument(version));
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
function keyPorts({ config, database, observe, baseUrl }: ApiDependencies) {
  const secret = deploymentSecret(config.secretKey, dataPaths(config).secret);
  const bodyAddresses = makeBodyAddresses(secret, systemClock.now);
  return {
    verifyKey: keyVerifier(database, config, observe),
    explainRejection: (key) => explainRejection(key, config),
    failedKeys: failedKeysOf(config),
    bodyAddressOf: (organizationId, requestId) => baseUrl() + bodyAddresses.pathOf(organizationId, requestId),
    checkBodyAddress: bodyAddresses.check,
    apiKeys: makeApiKeys(database, config.region, systemClock.now),
    providerKeys: makeProviderKeyVault(database, makeProviderKeyCipher(secret), systemClock.now),
    ...makeSignInPorts({ database, config, secret, observe, baseUrl }),
  } satisfies Partial<ApiPorts>;
}

/** What answers share, whatever they say. */
function answerPorts(config: Config) {
  return {
    monotonic: systemClock.monotonic,
    site: { addresses: listenerAddresses(config), file: siteFilesIn(sitePath) },
    bodyMaxBytes: config.apiBodyMaxBytes,
    corsOrigins: config.corsOrigins,
    answerMaxBytes: responseMaxBytes,
    now: systemClock.now,
    knownNames: new KnownNames(),
    limitUsages: new SharedWork(),
    hintLookUps: new HintLookUps(systemClock.monotonic),
  } satisfies Partial<ApiPorts>;
}
