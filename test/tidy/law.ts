/**
 * The law of the tree, as tables. `test/tidy.test.ts` executes it; a change of the architecture begins here and in `ARCHITECTURE.md`.
 */

/** The settings, and where the data folder has what. */
const settings = ['type config', 'config/data-paths.ts'];

/** Rooms of `src/` and what each may import: a room, or a path inside one. `type x` allows only `import type`. */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  model: [],
  contract: ['model'],
  export: ['contract', 'model'],
  sql: [],
  config: ['model', 'platform'],
  platform: ['model'],
  providers: ['model', 'platform/crc32.ts'],
  otlp: ['model', 'platform/bounds'],
  redaction: ['model'],
  pricing: ['model', 'platform', 'providers', 'type contract', 'type config', 'metadata'],
  query: ['model', 'type contract', 'sql'],
  spool: ['platform', 'type model', ...settings],
  gateway: [
    'model',
    'platform',
    'spool',
    'auth',
    'state',
    'egress',
    'metadata',
    'providers/wire-profile.ts',
    'providers/openai/wire.ts',
    'providers/amazon/wire.ts',
    // Only the thread of bodies reads them.
    'providers/body-summary.ts',
    ...settings,
  ],
  // What the gateway knows of directives, headers and identifiers holds for calls that are only told of, too.
  intake: [
    'model',
    'platform',
    'spool',
    'metadata',
    'providers',
    'otlp',
    'gateway/bodies/memory.ts',
    'gateway/directives',
    'gateway/http/headers.ts',
    'gateway/record',
    'gateway/relay/response-headers.ts',
    ...settings,
  ],
  store: ['model', 'platform', 'sql', ...settings],
  ingest: [
    'model',
    'platform',
    'spool',
    'providers',
    'pricing',
    'query/request-detail',
    'query/session-detail',
    'type query/requests',
    'store',
    'metadata',
    'redaction',
    'type state',
    ...settings,
  ],
  metadata: ['model', 'platform', 'type config'],
  events: ['model', 'platform', 'query', 'reading', 'metadata', 'auth', 'egress', 'type store', 'config'],
  alerts: ['model', 'platform', 'metadata', 'type contract', 'query', 'events', 'type store', 'type config'],
  audit: ['model', 'platform', 'type config'],
  auth: ['model', 'platform', 'metadata', 'type config'],
  state: ['model', 'platform', ...settings],
  egress: ['model', 'platform'],
  jobs: [
    'model',
    'platform',
    'spool',
    'store',
    'metadata',
    'ingest',
    'events',
    'state',
    'pricing',
    'providers',
    'query',
    'config/clickhouse-url.ts',
    ...settings,
  ],
  supervisor: ['model', 'platform', 'config', 'metadata/metadata-file.ts'],
  // Reads stored records in order for whoever goes through them: exports, live streams, webhooks.
  reading: ['model', 'platform', 'query', 'store'],
  api: [
    'contract',
    'export',
    'model',
    'platform',
    'auth',
    'query',
    'reading',
    'store',
    'metadata',
    'redaction',
    'mcp',
    'type alerts',
    'type audit',
    'type events',
    'events/webhooks/property-filters.ts',
    'type ingest',
    'type jobs',
    'config/listener-addresses.ts',
    'config/tls-files.ts',
    ...settings,
  ],
  // Health and metrics of the whole process tree.
  health: [
    'contract',
    'model',
    'platform',
    'alerts/metrics.ts',
    'api/latency.ts',
    'events',
    'gateway/observation/metrics.ts',
    'ingest/metrics.ts',
    'pricing/tables',
    'spool',
    'store/metrics.ts',
    'supervisor',
    'config/machine.ts',
    'config/max-memory.ts',
    'type api',
    'type ingest',
    'type metadata',
    'type store',
    ...settings,
  ],
  operator: [
    'contract',
    'model',
    'platform',
    'spool',
    'audit/copy.ts',
    'metadata',
    'events',
    'ingest',
    'jobs',
    'type otlp',
    'type pricing',
    'type store',
    'api',
    ...settings,
  ],
  client: ['type model'],
  mcp: ['model', 'client', 'query/filter'],
  cli: ['client', 'contract', 'export', 'model', 'config', 'platform', 'metadata', 'auth', 'jobs/backup', 'main', 'mcp', 'supervisor'],
  main: ['*'],
};

/**
 * Sub-rooms that may not import everything in their own room. An entry is a sub-room, a file, or with a slash at its end the files directly in a
 * folder; `type x` allows only `import type`. A sub-room without a row is bound only by {@link rooms}.
 */
export const subRooms: Readonly<Record<string, readonly string[]>> = {
  'alerts/bounds': ['alerts/evaluation', 'alerts/machine', 'alerts/stored'],
  'alerts/evaluation': ['alerts/machine', 'type alerts/stored'],
  'alerts/late': ['alerts/evaluation', 'alerts/machine', 'alerts/stored'],
  'alerts/machine': [],
  'alerts/stored': [],
  'api/endpoint': ['api/http', 'type api/openapi', 'type api/parts', 'type api/site', 'type api/stream'],
  'api/export': ['type api/endpoint', 'api/http', 'api/page', 'type api/parts'],
  'api/http': ['type api/openapi'],
  'api/openapi': [],
  'api/page': ['api/endpoint', 'api/http', 'api/parts', 'api/stream'],
  'api/parts': ['api/http'],
  'api/site': [],
  'api/stream': ['api/http'],
  'cli/agents': ['cli/base'],
  'cli/base': [],
  'cli/commands': ['cli/base', 'cli/export', 'cli/filter', 'cli/helicone', 'cli/import'],
  'cli/demo': ['cli/base'],
  'cli/doctor': ['cli/base', 'cli/terminal'],
  'cli/export': ['cli/base'],
  'cli/filter': ['cli/base'],
  'cli/helicone': ['cli/base', 'cli/import'],
  'cli/init': ['cli/base', 'cli/commands'],
  'cli/tail': ['cli/base', 'cli/filter', 'cli/terminal'],
  'cli/terminal': ['cli/base'],
  'contract/events': ['contract/', 'contract/settings/unpriced.ts'],
  'contract/metrics': ['contract/'],
  'contract/requests': ['contract/', 'contract/settings/price.ts'],
  'contract/settings': ['contract/'],
  'gateway/bodies': ['gateway/builtin', 'gateway/http', 'gateway/json', 'gateway/upstream'],
  'gateway/builtin': ['gateway/credentials', 'gateway/directives', 'gateway/http', 'gateway/routing', 'gateway/upstream'],
  'gateway/cache': ['gateway/bodies', 'gateway/directives', 'gateway/http', 'gateway/json', 'gateway/relay', 'gateway/upstream'],
  'gateway/credentials': ['gateway/directives', 'gateway/http', 'gateway/routing'],
  'gateway/directives': ['gateway/http'],
  'gateway/front': ['gateway/http'],
  'gateway/http': [],
  'gateway/json': [],
  'gateway/limits': ['gateway/directives', 'gateway/http'],
  'gateway/models': [
    'gateway/bodies',
    'gateway/credentials',
    'gateway/directives',
    'gateway/http',
    'gateway/json',
    'gateway/relay',
    'gateway/routing',
  ],
  'gateway/observation': ['gateway/credentials', 'gateway/http', 'gateway/json', 'gateway/record', 'gateway/upstream'],
  'gateway/record': [],
  'gateway/relay': [
    'gateway/bodies',
    'gateway/http',
    'gateway/json',
    'gateway/observation',
    'gateway/record',
    'gateway/routing',
    'gateway/upstream',
  ],
  'gateway/routing': ['gateway/http'],
  'gateway/upstream': [],
  'ingest/changes': ['type ingest/series', 'type ingest/redaction'],
  'ingest/interpret': ['ingest/threats'],
  'ingest/redaction': ['type ingest/interpret', 'ingest/interpret/record-texts.ts'],
  'ingest/series': ['ingest/interpret'],
  'ingest/threats': [],
  'mcp/answers': ['mcp/input'],
  'mcp/input': [],
  'mcp/tools': ['mcp/answers', 'mcp/input'],
  'metadata/migrations': ['type metadata/schema'],
  'events/channels': [],
  'events/database': ['events/schema'],
  'events/delivery': ['events/database', 'events/log', 'events/schema', 'events/targets'],
  'events/log': ['events/database', 'events/schema'],
  'events/schema': [],
  'events/targets': ['events/channels', 'type events/log', 'type events/schema', 'events/webhooks'],
  'events/webhooks': ['events/channels', 'events/database', 'events/log'],
  'model/json': [],
  'model/vocabulary': ['type model/providers'],
  'operator/routes': ['type operator/work'],
  'operator/work': [],
  'providers/format': [],
  'providers/anthropic': ['providers/format'],
  'providers/ollama': ['providers/format'],
  'providers/openai': ['providers/format'],
  'query/filter': [],
  'query/export': ['query/filter', 'query/requests'],
  'query/language': ['query/filter'],
  'query/hints': ['query/filter', 'query/requests'],
  'query/alerts': ['query/filter', 'query/metrics'],
  'query/metrics': ['query/', 'query/filter', 'query/hints', 'query/requests'],
  'query/stream': ['query/filter', 'query/requests', 'query/sessions'],
  'query/requests': ['query/', 'query/filter'],
  'store/engine': [],
  'store/insert': ['store/engine'],
  'store/move': ['store/engine', 'store/parts'],
  'store/schema': ['store/engine'],
};

/** Folders and files of pure rooms that are not. */
export const impurePaths: readonly string[] = [
  // Prices in use: read from a file and the database, and kept.
  'src/pricing/held/',
  // Loads the public list once; the list never changes.
  'src/pricing/public-list.ts',
  // Draws a mark that no sender can guess; what comes out does not depend on it.
  'src/model/json/exact-numbers.ts',
];

/** Rooms, and files of other rooms, that compute and do nothing else: no I/O, clock, chance or environment. */
export const purePaths: readonly string[] = [
  'src/model/',
  'src/sql/',
  'src/providers/',
  'src/otlp/',
  'src/pricing/',
  'src/redaction/',
  'src/query/',
  'src/contract/',
  'src/platform/crc32.ts',
];

/** Where string literals may contain a provider's name, each with its reason. */
export const providerNamePaths: Readonly<Record<string, string>> = {
  'src/cli/agents/table.ts': 'settings of agents name the providers that they know',
  'src/cli/demo/': 'the calls of the demo name models',
  'src/providers/': 'formats and facts, one folder per wire format, and the registry',
  'src/otlp/dialects/': 'names of attributes',
  'src/otlp/calls/anthropic-body.ts': 'the shape of one format',
  'src/pricing/': 'prices are by provider',
  'src/model/providers/': 'the names themselves, addresses, prices and telemetry',
  'src/model/vocabulary/': 'names in paths and headers of others',
  'src/gateway/directives/directives.ts': 'openai-api-base is the name of a header of ours',
  'src/gateway/directives/descriptions.ts': 'the same',
  'src/redaction/keys.ts': 'how keys of providers look',
  'src/cli/doctor/issuers.ts': 'the same',
  'src/contract/': 'examples in the description of the API',
  'src/api/endpoints/': 'the same',
};

/** Files about wire formats: data that the gateway loads. */
export const lightProfiles = /^src\/providers\/(?:[^/]+\/)?wire(?:-profile)?\.ts$/;

/** Globals, or single uses of a global, that a pure room may not touch. */
export const ambient: ReadonlySet<string> = new Set([
  'process',
  'console',
  'fetch',
  'performance',
  'crypto',
  'globalThis',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'Date.now',
  'Date()',
  'new Date()',
  'Math.random',
]);

/** Packages that `src/` may import, and where. A package without a row may be imported nowhere: give it one when it comes. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  '@clack/prompts': ['cli'],
  '@clickhouse/client': ['store'],
  '@decimalturn/toml-patch': ['cli'],
  '@hono/node-server': ['api', 'contract', 'operator'],
  '@hpcc-js/wasm-zstd': ['export', 'cli'],
  // Node 20 has no zstd of its own; this one decodes without WebAssembly, at once.
  fzstd: ['platform'],
  '@modelcontextprotocol/server': ['mcp'],
  '@pydantic/genai-prices': ['pricing'],
  chdb: ['store'],
  commander: ['cli'],
  'eventsource-parser': ['providers'],
  'gpt-tokenizer': ['ingest'],
  'hyparquet-writer': ['export'],
  hono: ['api', 'contract', 'operator'],
  'jsonc-parser': ['cli'],
  koffi: ['platform'],
  kysely: ['alerts', 'audit', 'metadata', 'events', 'platform'],
  libsql: ['metadata', 'platform'],
  lmdb: ['state'],
  nodemailer: ['events'],
  'openid-client': ['auth'],
  pbf: ['otlp'],
  pino: ['platform'],
  re2js: ['redaction'],
  'string-width': ['cli'],
  uuid: ['platform', 'gateway', 'metadata', 'auth', 'api', 'jobs', 'cli', 'main', 'events', 'alerts'],
  yaml: ['cli'],
  zod: ['api', 'contract', 'mcp'],
};

/** Readers of `process.env`: the room that parses settings, the two entries that pass it on, and the client, which is used without us. */
export const environmentReaders: readonly string[] = [
  'src/config/',
  'src/cli/main.ts',
  'src/cli/gatelog.cts',
  'src/client/connection/options.ts',
];

/** Writers to the console: the command line has human readers, everything else emits an Observation. */
export const consoleWriters: readonly string[] = ['src/cli/'];

/** Files of `src/` that only tests load; like `test/` and `bench/` they may import anything. */
export const testFilePatterns: readonly RegExp[] = [/\.test\.tsx?$/, /^src\/(?:.+\/)?testing\//, /^test\//, /^bench\//];

/** Default exports that a tool requires. */
export const defaultExports: Readonly<Record<string, string>> = {
  'test/support/slowest.ts': 'vitest makes a reporter of the default export',
  'vitest.config.ts': 'vitest reads its configuration from the default export',
};

/** Names without a meaning of their own. */
export const emptyNames: ReadonlySet<string> = new Set([
  'utils',
  'util',
  'helpers',
  'helper',
  'common',
  'services',
  'service',
  'managers',
  'manager',
  'rig',
]);

/** Of parts of a folder that import nothing of each other only one may have `partFiles` files; a way that the map lists has so many `stops`. */
export const limits = { partFiles: 4, fileLines: 400, functionLines: 60, parameters: 4, stops: 8 } as const;

/** Folders of our own code. */
export const sourcePaths: readonly string[] = ['src/', 'test/', 'bench/', 'scripts/'];
