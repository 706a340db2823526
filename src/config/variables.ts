import type { KindLimits, KindName, KindValues } from './kinds.ts';

/** What a default may depend on. */
export interface Machine {
  readonly cores: number;
}

/** One setting. `default` is text in the form that a person would write; without it the setting may stay unset. */
export interface Variable extends KindLimits {
  readonly name: `GATELOG_${string}`;
  readonly kind: KindName;
  readonly default?: string | ((machine: Machine) => string);
  readonly secret?: true;
  /** One sentence: what the setting is for and why one would change it. */
  readonly reason: string;
}

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;
const minute = 60_000;
const hour = 60 * minute;

/**
 * Every setting, one row each: the name in `Config`, then the variable, its kind, default, bounds and reason. Loading, `gatelog config` and
 * the documentation read this table.
 */
export const variables = {
  dataDir: {
    name: 'GATELOG_DATA_DIR',
    kind: 'text',
    default: './data',
    reason: 'Folder for the spool, the embedded databases and the locks.',
  },
  host: {
    name: 'GATELOG_HOST',
    kind: 'host',
    default: '127.0.0.1',
    reason: 'Address that both listeners bind to; 0.0.0.0 opens them to the network.',
  },
  gatewayPort: {
    name: 'GATELOG_GATEWAY_PORT',
    kind: 'integer',
    default: '8787',
    least: 0,
    most: 65_535,
    reason: 'Port of the gateway; 0 takes any free one.',
  },
  apiPort: {
    name: 'GATELOG_API_PORT',
    kind: 'integer',
    default: '8788',
    least: 0,
    most: 65_535,
    reason: 'Port of the API; 0 takes any free one.',
  },
  region: {
    name: 'GATELOG_REGION',
    kind: 'region',
    default: 'us',
    reason: 'Name of this deployment; it is part of every key that is made here.',
  },
  regions: {
    name: 'GATELOG_REGIONS',
    kind: 'regions',
    default: '',
    reason: 'Addresses of the sibling deployments, so that a key of another region is answered with the right address.',
  },
  publicApiUrl: {
    name: 'GATELOG_PUBLIC_API_URL',
    kind: 'url',
    schemes: ['https', 'http'],
    reason: 'Base of the addresses that the API hands out; without it the listening address.',
  },
  publicGatewayUrl: {
    name: 'GATELOG_PUBLIC_GATEWAY_URL',
    kind: 'url',
    schemes: ['https', 'http'],
    reason: 'Address of the gateway as callers see it, for examples and the dashboard; without it the listening address.',
  },
  targetAllowlist: {
    name: 'GATELOG_TARGET_ALLOWLIST',
    kind: 'targets',
    default: '',
    reason:
      'What Svc-Target-Url and the providers on this machine (ollama, vllm, lmstudio) may reach although it is private or plain http.',
  },
  bedrockRegion: {
    name: 'GATELOG_PROVIDER_BEDROCK_REGION',
    kind: 'region',
    default: 'us-east-1',
    reason: 'AWS region of the provider bedrock, unless GATELOG_PROVIDER_BEDROCK_URL gives its whole address.',
  },

  bootstrapApiKey: {
    name: 'GATELOG_BOOTSTRAP_API_KEY',
    kind: 'secret',
    least: 16,
    most: 256,
    secret: true,
    reason: 'Key of the first organisation, used at the very first start only; without it one is made and printed once.',
  },
  secretKey: {
    name: 'GATELOG_SECRET_KEY',
    kind: 'secret',
    least: 32,
    most: 4096,
    secret: true,
    reason: 'Signs the addresses at which bodies can be read without a key; without it a secret is made and kept in the data folder.',
  },
  keyStaleMaxMs: {
    name: 'GATELOG_KEY_STALE_MAX',
    kind: 'duration',
    default: '10m',
    least: 0,
    most: 24 * hour,
    reason: 'How long a key that was checked stays good while the metadata database cannot be read.',
  },

  gatewayWorkers: {
    name: 'GATELOG_GATEWAY_WORKERS',
    kind: 'integer',
    default: defaultWorkers,
    least: 1,
    most: 64,
    reason: 'Gateway processes; half of the cores leaves the rest to ingest and queries.',
  },
  requestMaxBytes: {
    name: 'GATELOG_REQUEST_MAX_BYTES',
    kind: 'bytes',
    default: '256MiB',
    least: KiB,
    most: 16 * GiB,
    reason: 'Largest request body that the gateway forwards; above it the call is answered 413.',
  },
  requestTimeoutMs: {
    name: 'GATELOG_REQUEST_TIMEOUT_MS',
    kind: 'integer',
    default: '600000',
    least: 1000,
    most: 24 * hour,
    reason: 'Milliseconds for a caller to send a whole request; a slower upload is answered 408.',
  },
  headerMaxBytes: {
    name: 'GATELOG_HEADER_MAX_BYTES',
    kind: 'bytes',
    default: '128KiB',
    least: 8 * KiB,
    most: MiB,
    reason: 'Largest request head; 64 properties need more than the usual 16 KiB.',
  },
  routeMaxBytes: {
    name: 'GATELOG_ROUTE_MAX_BYTES',
    kind: 'bytes',
    default: '1MiB',
    least: KiB,
    most: 16 * MiB,
    reason: 'Largest JSON body that is read for its model before forwarding; larger ones go by path alone.',
  },
  recordMaxBytes: {
    name: 'GATELOG_RECORD_MAX_BYTES',
    kind: 'bytes',
    default: '8MiB',
    least: 0,
    most: 256 * MiB,
    reason: 'Bytes that are recorded of each body; what is longer passes whole and is recorded cut and flagged.',
  },
  bodySearchMaxBytes: {
    name: 'GATELOG_BODY_SEARCH_MAX_BYTES',
    kind: 'bytes',
    default: '1MiB',
    least: KiB,
    most: 16 * MiB,
    reason:
      'Bytes of the text of each body that filters look at; what is longer is kept and shown whole. It holds for what is recorded from then on.',
  },
  providerConnectTimeoutMs: {
    name: 'GATELOG_PROVIDER_CONNECT_TIMEOUT_MS',
    kind: 'integer',
    default: '10000',
    least: 1,
    most: 5 * minute,
    reason: 'Milliseconds for a connection to a provider to open.',
  },
  providerHeadersTimeoutMs: {
    name: 'GATELOG_PROVIDER_HEADERS_TIMEOUT_MS',
    kind: 'integer',
    default: '600000',
    least: 1,
    most: 24 * hour,
    reason: 'Milliseconds until the head of a response; reasoning models think for minutes before it.',
  },
  providerBodyTimeoutMs: {
    name: 'GATELOG_PROVIDER_BODY_TIMEOUT_MS',
    kind: 'integer',
    default: '600000',
    least: 1,
    most: 24 * hour,
    reason: 'Milliseconds of silence in the middle of a response before it counts as broken.',
  },
  providerConnections: {
    name: 'GATELOG_PROVIDER_CONNECTIONS',
    kind: 'integer',
    default: '1024',
    least: 1,
    most: 65_535,
    reason: 'Connections to one provider from one gateway worker; calls beyond them wait.',
  },
  attemptsMax: {
    name: 'GATELOG_ATTEMPTS_MAX',
    kind: 'integer',
    default: '20',
    least: 1,
    most: 1000,
    reason: 'Attempts of one call at most, retries (Svc-Retry-…) and fallbacks together; the last reply is passed on.',
  },
  retryWithinMs: {
    name: 'GATELOG_RETRY_WITHIN_MS',
    kind: 'integer',
    default: '60000',
    least: 0,
    most: hour,
    reason:
      'Milliseconds after the start of a call in which it may be sent to the same place again; a client that waits longer has usually given up. 0: no retries.',
  },

  spoolSync: {
    name: 'GATELOG_SPOOL_SYNC',
    kind: 'choice',
    choices: ['interval', 'always'],
    default: 'interval',
    reason:
      'interval survives a killed process and syncs every second; always also waits for the disk, so that a power loss takes nothing.',
  },
  spoolMaxBytes: {
    name: 'GATELOG_SPOOL_MAX_BYTES',
    kind: 'bytes',
    default: '4GiB',
    least: 16 * MiB,
    most: 1024 * GiB,
    reason: 'Disk that unread exchanges may take; when it is full calls go on unrecorded and say so.',
  },
  spoolSegmentBytes: {
    name: 'GATELOG_SPOOL_SEGMENT_BYTES',
    kind: 'bytes',
    default: '64MiB',
    least: MiB,
    most: GiB,
    reason: 'Size at which a spool file is closed and the next begun; a file is deleted as a whole.',
  },
  spoolSegmentSeconds: {
    name: 'GATELOG_SPOOL_SEGMENT_SECONDS',
    kind: 'integer',
    default: '10',
    least: 1,
    most: 3600,
    reason: 'Age in seconds at which a spool file is closed, so that a quiet worker frees its disk too.',
  },

  ingestBatchRows: {
    name: 'GATELOG_INGEST_BATCH_ROWS',
    kind: 'integer',
    default: '5000',
    least: 1,
    most: 100_000,
    reason: 'Most records in one insert; larger inserts are cheaper for the store and hold more memory.',
  },
  ingestBatchBytes: {
    name: 'GATELOG_INGEST_BATCH_BYTES',
    kind: 'bytes',
    default: '16MiB',
    least: 64 * KiB,
    most: 512 * MiB,
    reason: 'Most bytes in one insert.',
  },
  ingestIntervalMs: {
    name: 'GATELOG_INGEST_INTERVAL_MS',
    kind: 'integer',
    default: '400',
    least: 1,
    most: minute,
    reason:
      'Milliseconds between batches that are not full; how soon a record can be queried under load. A batch costs about as much as 500 records.',
  },
  ingestBurstMs: {
    name: 'GATELOG_INGEST_BURST_MS',
    kind: 'integer',
    default: '10000',
    least: 0,
    most: minute,
    reason:
      'Milliseconds for which a burst of calls that leaves no core idle goes before the ingest; its records can be queried that much later. 0: never.',
  },

  stateMaxBytes: {
    name: 'GATELOG_STATE_MAX_BYTES',
    kind: 'bytes',
    default: '256MiB',
    least: 16 * MiB,
    most: 64 * GiB,
    reason:
      'Disk for what the gateway workers share: the counts of limits, some 200 bytes a window, and what budgets have set aside. When it is full no new window begins.',
  },
  budgetReserveCents: {
    name: 'GATELOG_BUDGET_RESERVE_CENTS',
    kind: 'integer',
    default: '100',
    least: 1,
    most: 1_000_000,
    reason:
      'Cents that a budget sets aside for a call whose highest cost is not known: no price, or nothing that says how long the answer may become.',
  },

  storeMemoryBytes: {
    name: 'GATELOG_STORE_MEMORY_BYTES',
    kind: 'bytes',
    default: '2GiB',
    least: 256 * MiB,
    most: 1024 * GiB,
    reason: 'Memory cap of the embedded store.',
  },
  clickhouseUrl: {
    name: 'GATELOG_CLICKHOUSE_URL',
    kind: 'secret',
    least: 8,
    most: 2048,
    secret: true,
    reason: 'ClickHouse server with its credentials; without it the embedded store.',
  },
  databaseUrl: {
    name: 'GATELOG_DATABASE_URL',
    kind: 'secret',
    least: 8,
    most: 2048,
    secret: true,
    reason:
      'Reserved for a Postgres server; this version keeps metadata in the embedded database only and does not start while this is set.',
  },

  apiBodyMaxBytes: {
    name: 'GATELOG_API_BODY_MAX_BYTES',
    kind: 'bytes',
    default: '8MiB',
    least: KiB,
    most: 256 * MiB,
    reason: 'Largest body that the API reads; above it the answer is 413.',
  },
  queryTimeoutMs: {
    name: 'GATELOG_QUERY_TIMEOUT_MS',
    kind: 'integer',
    default: '30000',
    least: 1,
    most: hour,
    reason: 'Milliseconds after which a query is ended with 504.',
  },
  logLevel: {
    name: 'GATELOG_LOG_LEVEL',
    kind: 'choice',
    choices: ['silent', 'error', 'warn', 'info', 'debug'],
    default: 'info',
    reason: 'How much is written to the log.',
  },
} as const satisfies Readonly<Record<string, Variable>>;

type Variables = typeof variables;
type ValueOf<V extends Variable> = V extends { readonly choices: readonly (infer C)[] } ? C : KindValues[V['kind']];

/** The settings by their camelCase names; one without a default is undefined when it is not set. Sizes are bytes. */
export type Settings = {
  readonly [K in keyof Variables]: ValueOf<Variables[K]> | (Variables[K] extends { readonly default: unknown } ? never : undefined);
};
export type SettingName = keyof Variables;

/** The rows of the table in its order, without their literal types. */
export const settingRows: readonly (readonly [SettingName, Variable])[] = Object.entries(variables) as [SettingName, Variable][];

/** Names that begin like ours, belong to the command line as a client, and are therefore no settings of the service. */
export const clientVariables: ReadonlySet<string> = new Set(['GATELOG_API_KEY', 'GATELOG_API_URL']);

/** The default of a setting as text, undefined when it has none. */
export function defaultText(variable: Variable, machine: Machine): string | undefined {
  return typeof variable.default === 'function' ? variable.default(machine) : variable.default;
}

function defaultWorkers({ cores }: Machine): string {
  return String(Math.max(1, Math.min(8, Math.floor(cores / 2))));
}
