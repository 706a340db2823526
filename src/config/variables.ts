import type { KindValues } from './kinds.ts';
import { gatewayVariables } from './gateway-variables.ts';
import { listenerVariables } from './listener-variables.ts';
import { eventVariables } from './event-variables.ts';
import { alertVariables } from './alert-variables.ts';
import { peopleVariables } from './people-variables.ts';
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
  ...listenerVariables,
  region: {
    name: 'GATELOG_REGION',
    kind: 'region',
    default: 'us',
    reason: 'Name of this deployment; every key that it creates contains it.',
  },
  regions: {
    name: 'GATELOG_REGIONS',
    kind: 'regions',
    default: '',
    reason: 'Addresses of the sibling deployments; a caller with a key of another region is told the right one.',
  },
  targetAllowlist: {
    name: 'GATELOG_TARGET_ALLOWLIST',
    kind: 'targets',
    default: '',
    reason:
      'Private or plain http addresses that Svc-Target-Url, webhooks, channels of alerts and the providers on this machine (ollama, vllm, lmstudio) may reach.',
  },
  smtpUrl: {
    name: 'GATELOG_SMTP_URL',
    kind: 'smtp',
    secret: true,
    reason:
      'Mail server for alerts, such as smtps://user:password@mail.example.com:465?from=alerts@example.com. Default: none, and rules take no mail channel.',
  },
  smtpFrom: {
    name: 'GATELOG_SMTP_FROM',
    kind: 'sender',
    reason: 'Sender of mails, before the from of GATELOG_SMTP_URL. Default: the user of GATELOG_SMTP_URL, if it is a mail address.',
  },
  pagerDutyUrl: {
    name: 'GATELOG_PAGERDUTY_URL',
    kind: 'url',
    schemes: ['https', 'http'],
    default: 'https://events.pagerduty.com/v2/enqueue',
    reason:
      'Address for events to PagerDuty; https://events.eu.pagerduty.com/v2/enqueue for accounts in the European Union. A private one needs GATELOG_TARGET_ALLOWLIST.',
  },
  corsOrigins: {
    name: 'GATELOG_CORS_ORIGINS',
    kind: 'origins',
    default: '',
    reason:
      'Origins whose pages may call the gateway and the API from a browser; * allows all. Whoever opens such a page can read the key that it uses.',
  },
  bedrockRegion: {
    name: 'GATELOG_PROVIDER_BEDROCK_REGION',
    kind: 'region',
    default: 'us-east-1',
    reason: 'AWS region of the provider bedrock, unless GATELOG_PROVIDER_BEDROCK_URL sets its address.',
  },

  bootstrapApiKey: {
    name: 'GATELOG_BOOTSTRAP_API_KEY',
    kind: 'secret',
    min: 16,
    max: 256,
    secret: true,
    reason:
      'Key of the first organisation, used at the very first start only: sk-svc-, the region (GATELOG_REGION), a hyphen and random letters, digits, hyphens, underscores or dots, such as sk-svc-us-4fQ7…. A key from Helicone (sk-helicone-…, pk-helicone-…) works too. Default: a generated key that is printed once.',
  },
  secretKey: {
    name: 'GATELOG_SECRET_KEY',
    kind: 'secret',
    min: 32,
    max: 4096,
    secret: true,
    reason:
      'Signs the URLs that give access to bodies without a key, and encrypts stored provider keys. Default: a generated secret in the data folder.',
  },
  authFailuresPerMinute: {
    name: 'GATELOG_AUTH_FAILURES_PER_MINUTE',
    kind: 'integer',
    default: '120',
    min: 0,
    max: 1_000_000,
    reason:
      'Invalid keys per client address, minute and process; beyond them 429. Valid keys from the same address are never refused. 0: no limit.',
  },
  metricsKey: {
    name: 'GATELOG_METRICS_KEY',
    kind: 'secret',
    min: 16,
    max: 256,
    secret: true,
    reason: 'Key for GET /metrics, sent as "Authorization: Bearer <key>". Default: the metrics need no key.',
  },
  keyStaleMaxMs: {
    name: 'GATELOG_KEY_STALE_MAX',
    kind: 'duration',
    default: '10m',
    min: 0,
    max: 24 * hour,
    reason: 'How long checked keys and stored provider keys stay valid while the metadata database cannot be read.',
  },

  ...gatewayVariables,

  spoolSync: {
    name: 'GATELOG_SPOOL_SYNC',
    kind: 'choice',
    choices: ['interval', 'always'],
    default: 'interval',
    reason:
      'interval survives a killed process and syncs every second; always also waits for the disk, so that nothing is lost when the power fails.',
  },
  spoolMaxBytes: {
    name: 'GATELOG_SPOOL_MAX_BYTES',
    kind: 'bytes',
    default: '4GiB',
    min: 16 * MiB,
    max: 1024 * GiB,
    reason: 'Maximum disk space of exchanges on their way to the store; when it is full, calls go on unrecorded and say so.',
  },
  spoolSegmentBytes: {
    name: 'GATELOG_SPOOL_SEGMENT_BYTES',
    kind: 'bytes',
    default: '64MiB',
    min: MiB,
    max: GiB,
    reason: 'Size at which the next spool file begins; files are deleted as a whole.',
  },
  spoolSegmentSeconds: {
    name: 'GATELOG_SPOOL_SEGMENT_SECONDS',
    kind: 'integer',
    default: '10',
    min: 1,
    max: 3600,
    reason: 'Age in seconds at which the next spool file begins, so that a quiet worker frees its disk space too.',
  },

  ingestBatchRows: {
    name: 'GATELOG_INGEST_BATCH_ROWS',
    kind: 'integer',
    default: '5000',
    min: 1,
    max: 100_000,
    reason: 'Maximum records in one insert; larger inserts are cheaper for the store and take more memory.',
  },
  ingestBatchBytes: {
    name: 'GATELOG_INGEST_BATCH_BYTES',
    kind: 'bytes',
    default: '16MiB',
    min: 64 * KiB,
    max: 512 * MiB,
    reason: 'Maximum bytes in one insert.',
  },
  ingestIntervalMs: {
    name: 'GATELOG_INGEST_INTERVAL_MS',
    kind: 'integer',
    default: '300',
    min: 1,
    max: minute,
    reason:
      'Milliseconds between batches that are not full, twice as many where storing one takes long: how soon a record is queryable under load. A batch costs about as much as 500 records.',
  },
  ingestBurstMs: {
    name: 'GATELOG_INGEST_BURST_MS',
    kind: 'integer',
    default: '10000',
    min: 0,
    max: minute,
    reason:
      'Milliseconds for which a burst of calls that leaves no core idle takes precedence over the ingest; its records become queryable that much later. 0: never.',
  },

  deadLetterDays: {
    name: 'GATELOG_DEAD_LETTER_DAYS',
    kind: 'integer',
    default: '7',
    min: 1,
    max: 3650,
    reason: 'Days for which dead letters, exchanges that could not be stored, are kept; "gatelog dead-letters" shows and replays them.',
  },
  deadLetterMaxBytes: {
    name: 'GATELOG_DEAD_LETTER_MAX_BYTES',
    kind: 'bytes',
    default: '1GiB',
    min: MiB,
    max: 1024 * GiB,
    reason: 'Maximum disk space of dead letters; beyond it the oldest are deleted.',
  },

  stateMaxBytes: {
    name: 'GATELOG_STATE_MAX_BYTES',
    kind: 'bytes',
    default: '256MiB',
    min: 16 * MiB,
    max: 64 * GiB,
    reason:
      'Disk space of the state that gateway workers share: counts of limits, some 200 bytes per window, and reservations of budgets. When it is full, no new window begins.',
  },
  cacheMaxBytes: {
    name: 'GATELOG_CACHE_MAX_BYTES',
    kind: 'bytes',
    default: '256MiB',
    min: 1 * MiB,
    max: 64 * GiB,
    reason: 'Disk space of the response cache; the least recently used responses are evicted first.',
  },
  cacheResponseMaxBytes: {
    name: 'GATELOG_CACHE_REPLY_MAX_BYTES',
    kind: 'bytes',
    default: '4MiB',
    min: 4 * KiB,
    max: 64 * MiB,
    reason: 'Maximum decoded bytes of a cached response. Writing 4 MiB blocks the other calls of a worker for some milliseconds.',
  },
  cacheWaitMs: {
    name: 'GATELOG_CACHE_WAIT_MS',
    kind: 'integer',
    default: '300000',
    min: 0,
    max: hour,
    reason:
      'Maximum milliseconds for which a cached call waits for the response to an equal call in flight before it calls the provider itself. 0: no wait.',
  },
  budgetReserveCents: {
    name: 'GATELOG_BUDGET_RESERVE_CENTS',
    kind: 'integer',
    default: '100',
    min: 1,
    max: 1_000_000,
    reason: 'Cents that a budget reserves for a call whose maximum cost is unknown: its model has no price, or its output no bound.',
  },

  retentionDays: {
    name: 'GATELOG_RETENTION_DAYS',
    kind: 'integer',
    min: 1,
    max: 36_500,
    reason: 'Days after which the records of all organisations are deleted. Default: never. An organisation may set a shorter time.',
  },
  retentionIntervalMs: {
    name: 'GATELOG_RETENTION_INTERVAL',
    kind: 'duration',
    default: '1h',
    min: 1000,
    max: 24 * hour,
    reason: 'Interval of the deletion of expired records; they may be found for that much longer.',
  },
  pricesFile: {
    name: 'GATELOG_PRICES_FILE',
    kind: 'text',
    reason:
      "Price list that precedes the built-in one: JSON as `PUT /v1/prices` takes it, genai-prices' or LiteLLM's; read and checked at the start.",
  },
  threatCheckFile: {
    name: 'GATELOG_THREAT_CHECK_FILE',
    kind: 'text',
    reason:
      "JavaScript module whose default export, (text) => boolean, checks the user's last text in place of the built-in patterns, for calls with Svc-Security-Enabled.",
  },

  ...eventVariables,

  ...alertVariables,
  ...storeVariables,
  ...peopleVariables,
  clickhouseUrl: {
    name: 'GATELOG_CLICKHOUSE_URL',
    kind: 'clickhouse',
    secret: true,
    reason:
      'ClickHouse servers that keep the records in place of the embedded store, such as https://user:password@ch.example.com:8443/gatelog; several with commas between are replicas of one shard. Default: none, and records are in the data folder.',
  },
  databaseUrl: {
    name: 'GATELOG_DATABASE_URL',
    kind: 'secret',
    min: 8,
    max: 2048,
    secret: true,
    reason:
      'Reserved for a Postgres server; this version keeps metadata in the embedded database only and does not start while this is set.',
  },

  redisUrl: {
    name: 'GATELOG_REDIS_URL',
    kind: 'secret',
    min: 8,
    max: 2048,
    secret: true,
    reason:
      'Reserved for a Redis server; this version keeps counts of limits and the response cache in the data folder, for one machine, and does not start while this is set.',
  },

  streams: {
    name: 'GATELOG_STREAMS',
    kind: 'integer',
    default: '100',
    min: 0,
    max: 10_000,
    reason: 'Maximum live streams of requests at once; one takes up to a megabyte while its client reads slowly. Beyond it 503.',
  },
  apiBodyMaxBytes: {
    name: 'GATELOG_API_BODY_MAX_BYTES',
    kind: 'bytes',
    default: '8MiB',
    min: KiB,
    max: 256 * MiB,
    reason: 'Maximum body of an API request; beyond it 413.',
  },
  logLevel: {
    name: 'GATELOG_LOG_LEVEL',
    kind: 'choice',
    choices: ['silent', 'error', 'warn', 'info', 'debug'],
    default: 'info',
    reason: 'Minimum level of log lines.',
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
export const clientVariables: ReadonlySet<string> = new Set(['GATELOG_API_KEY', 'GATELOG_API_URL', 'GATELOG_IMPORT_KEY']);

/** The default of a setting as text; undefined when it has none. */
export function defaultText(variable: Variable, machine: Machine): string | undefined {
  return typeof variable.default === 'function' ? variable.default(machine) : variable.default;
}
