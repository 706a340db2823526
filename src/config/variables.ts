import type { KindValues } from './kinds.ts';
import { gatewayVariables } from './gateway-variables.ts';
import { storeVariables } from './store-variables.ts';
import { GiB, hour, KiB, type Machine, MiB, minute, type Variable } from './variable.ts';

/** Every setting, one row each. Loading, `gatelog config` and the documentation read this table. */
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
    reason: 'Address of the gateway as callers see it, for examples; without it the listening address.',
  },
  targetAllowlist: {
    name: 'GATELOG_TARGET_ALLOWLIST',
    kind: 'targets',
    default: '',
    reason:
      'What Svc-Target-Url and the providers on this machine (ollama, vllm, lmstudio) may reach although it is private or plain http.',
  },
  corsOrigins: {
    name: 'GATELOG_CORS_ORIGINS',
    kind: 'origins',
    default: '',
    reason:
      'Origins whose pages may call the gateway and the API from a browser; * allows every one. Whoever opens such a page has the key that it uses.',
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
    reason:
      'Signs the addresses at which bodies can be read without a key, and encrypts stored keys of providers; without it a secret is made and kept in the data folder.',
  },
  authFailuresPerMinute: {
    name: 'GATELOG_AUTH_FAILURES_PER_MINUTE',
    kind: 'integer',
    default: '120',
    least: 0,
    most: 1_000_000,
    reason:
      'Keys that are not accepted, from one client address in a minute and in one process; more are answered 429. Good keys from there are never refused for it. 0: no limit.',
  },
  metricsKey: {
    name: 'GATELOG_METRICS_KEY',
    kind: 'secret',
    least: 16,
    most: 256,
    secret: true,
    reason: 'Key that GET /metrics asks for, as "Authorization: Bearer <key>"; without it the metrics need none.',
  },
  keyStaleMaxMs: {
    name: 'GATELOG_KEY_STALE_MAX',
    kind: 'duration',
    default: '10m',
    least: 0,
    most: 24 * hour,
    reason: 'How long a key that was checked, and a stored key of a provider, stays good while the metadata database cannot be read.',
  },

  ...gatewayVariables,

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
    default: '300',
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

  deadLetterDays: {
    name: 'GATELOG_DEAD_LETTER_DAYS',
    kind: 'integer',
    default: '7',
    least: 1,
    most: 3650,
    reason: 'Days for which exchanges are kept that could not be stored; "gatelog dead-letters" shows and replays them.',
  },
  deadLetterMaxBytes: {
    name: 'GATELOG_DEAD_LETTER_MAX_BYTES',
    kind: 'bytes',
    default: '1GiB',
    least: MiB,
    most: 1024 * GiB,
    reason: 'Disk that dead letters may take; when there are more the oldest go.',
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
  cacheMaxBytes: {
    name: 'GATELOG_CACHE_MAX_BYTES',
    kind: 'bytes',
    default: '256MiB',
    least: 1 * MiB,
    most: 64 * GiB,
    reason: 'Disk for the response cache; the replies that were not used for the longest time go first.',
  },
  cacheResponseMaxBytes: {
    name: 'GATELOG_CACHE_REPLY_MAX_BYTES',
    kind: 'bytes',
    default: '4MiB',
    least: 4 * KiB,
    most: 64 * MiB,
    reason:
      'Most bytes of one reply, decoded, that the response cache keeps. Writing 4 MiB holds the other calls of a worker up for some milliseconds.',
  },
  cacheWaitMs: {
    name: 'GATELOG_CACHE_WAIT_MS',
    kind: 'integer',
    default: '300000',
    least: 0,
    most: hour,
    reason:
      'Milliseconds for which a call with the cache enabled waits at most for the reply to an equal one that is on its way; then it calls for itself. 0: it never waits.',
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

  retentionDays: {
    name: 'GATELOG_RETENTION_DAYS',
    kind: 'integer',
    least: 1,
    most: 36_500,
    reason:
      'Days after which records are removed, of all organisations; without it they are kept. One may keep its own for a shorter time.',
  },
  retentionIntervalMs: {
    name: 'GATELOG_RETENTION_INTERVAL',
    kind: 'duration',
    default: '1h',
    least: 1000,
    most: 24 * hour,
    reason: 'How often records that are too old are looked for; for so much longer they may still be found.',
  },
  pricesFile: {
    name: 'GATELOG_PRICES_FILE',
    kind: 'text',
    reason: 'Price book in place of the built-in list: JSON in the form of genai-prices. It is read and checked at the start.',
  },
  threatCheckFile: {
    name: 'GATELOG_THREAT_CHECK_FILE',
    kind: 'text',
    reason:
      'JavaScript module whose default export, (text) => true or false, looks at the last text of the user in place of the built-in patterns, where a call asks for that by Svc-Security-Enabled.',
  },

  ...storeVariables,
  clickhouseUrl: {
    name: 'GATELOG_CLICKHOUSE_URL',
    kind: 'secret',
    least: 8,
    most: 2048,
    secret: true,
    reason: 'Reserved for a ClickHouse server; this version keeps records in the embedded store only and does not start while this is set.',
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

  redisUrl: {
    name: 'GATELOG_REDIS_URL',
    kind: 'secret',
    least: 8,
    most: 2048,
    secret: true,
    reason:
      'Reserved for a Redis server; this version keeps the counts of limits and the response cache in the data folder, so they are of one machine, and does not start while this is set.',
  },

  apiBodyMaxBytes: {
    name: 'GATELOG_API_BODY_MAX_BYTES',
    kind: 'bytes',
    default: '8MiB',
    least: KiB,
    most: 256 * MiB,
    reason: 'Largest body that the API reads; above it the answer is 413.',
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

/** The settings by their camelCase names; one without a default is undefined when unset. Sizes are bytes. */
export type Settings = {
  readonly [K in keyof Variables]: ValueOf<Variables[K]> | (Variables[K] extends { readonly default: unknown } ? never : undefined);
};
export type SettingName = keyof Variables;

export const settingRows: readonly (readonly [SettingName, Variable])[] = Object.entries(variables) as [SettingName, Variable][];

/** Settings of the command line as a client, not of the service. */
export const clientVariables: ReadonlySet<string> = new Set(['GATELOG_API_KEY', 'GATELOG_API_URL']);

/** The default of a setting as text; undefined when it has none. */
export function defaultText(variable: Variable, machine: Machine): string | undefined {
  return typeof variable.default === 'function' ? variable.default(machine) : variable.default;
}
