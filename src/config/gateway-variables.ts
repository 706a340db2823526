import { defaultWorkers, memoryFor, memoryUses, spanBytes, workerMemoryDefault } from './memory.ts';
import { GiB, hour, KiB, MiB, minute, type Variable } from './variable.ts';

export const gatewayVariables = {
  gatewayWorkers: {
    name: 'GATELOG_GATEWAY_WORKERS',
    kind: 'integer',
    default: (machine) => String(defaultWorkers(machine)),
    min: 1,
    max: 64,
    reason:
      'Number of gateway processes; half of the cores leaves the rest to ingest and queries. In a container there is at most one for each GiB of memory.',
  },
  requestMaxBytes: {
    name: 'GATELOG_REQUEST_MAX_BYTES',
    kind: 'bytes',
    default: '256MiB',
    min: KiB,
    max: 16 * GiB,
    reason: 'Maximum request body that the gateway forwards; beyond it 413.',
  },
  requestTimeoutMs: {
    name: 'GATELOG_REQUEST_TIMEOUT_MS',
    kind: 'integer',
    default: '600000',
    min: 1000,
    max: 24 * hour,
    reason:
      'Maximum milliseconds for a caller to send a whole request. Slower headers get 408; a slower body is recorded as a disconnect of the caller.',
  },
  clientStallTimeoutMs: {
    name: 'GATELOG_CLIENT_STALL_TIMEOUT_MS',
    kind: 'integer',
    default: '300000',
    min: 1000,
    max: 24 * hour,
    reason:
      'Maximum milliseconds for which a caller may read nothing of a waiting response of the gateway or the API; then the connection is closed, and a model call is recorded as a disconnect of the caller.',
  },
  keepAliveTimeoutMs: {
    name: 'GATELOG_KEEP_ALIVE_TIMEOUT_MS',
    kind: 'integer',
    default: '75000',
    min: 1000,
    max: hour,
    reason:
      "Keep-alive timeout of idle connections to the gateway and the API, milliseconds. Behind a load balancer it must exceed the load balancer's own, or some requests meet a closed connection.",
  },
  headerMaxBytes: {
    name: 'GATELOG_HEADER_MAX_BYTES',
    kind: 'bytes',
    default: '640KiB',
    min: 8 * KiB,
    max: MiB,
    reason: 'Maximum size of all request headers; the default fits 64 properties of 8 KiB each.',
  },
  logMaxBytes: {
    name: 'GATELOG_LOG_MAX_BYTES',
    kind: 'bytes',
    default: '16MiB',
    min: 64 * KiB,
    max: 64 * MiB,
    reason:
      'Maximum size of a log at the gateway; beyond it 413. The API has GATELOG_API_BODY_MAX_BYTES. A thread of each worker reads one over 64 KiB at a time, and takes some ten times as much memory meanwhile.',
  },
  otlpMaxBytes: {
    name: 'GATELOG_OTLP_MAX_BYTES',
    kind: 'bytes',
    default: '16MiB',
    min: 64 * KiB,
    max: 64 * MiB,
    reason:
      'Maximum size of one request of OpenTelemetry, decompressed; beyond it 413. A thread of each worker reads one at a time, and takes some ten times as much memory meanwhile.',
  },
  otlpMemorySpans: {
    name: 'GATELOG_OTLP_MEMORY_SPANS',
    kind: 'integer',
    default: (machine) => String(Math.floor(memoryFor(memoryUses.spans, machine) / spanBytes)),
    min: 1000,
    max: 10_000_000,
    reason:
      'Spans that the core remembers for ancestors that come later, 512 bytes each; long names count as several. Requests of forgotten spans keep the session and the path that they have.',
  },
  routeMaxBytes: {
    name: 'GATELOG_ROUTE_MAX_BYTES',
    kind: 'bytes',
    default: '16MiB',
    min: KiB,
    max: 16 * MiB,
    reason:
      'Maximum JSON body that is buffered to route by its model; larger ones are routed by path alone, with svc-warning. GATELOG_HELD_BODIES_BYTES bounds all buffered bodies together.',
  },
  heldBodiesBytes: {
    name: 'GATELOG_HELD_BODIES_BYTES',
    kind: 'bytes',
    default: workerMemoryDefault(memoryUses.heldBodies),
    min: 64 * MiB,
    max: 64 * GiB,
    reason:
      'Maximum bytes of buffered request bodies over 64 KiB in one gateway worker, with their changed copies. Beyond it a call streams unbuffered where it can, with svc-warning; others wait for GATELOG_SHARE_WAIT_MS and then get 503.',
  },
  recordMaxBytes: {
    name: 'GATELOG_RECORD_MAX_BYTES',
    kind: 'bytes',
    default: '8MiB',
    min: 0,
    max: 128 * MiB,
    reason: 'Recorded bytes of each body; longer bodies pass whole, and their record is truncated and flagged.',
  },
  bodySearchMaxBytes: {
    name: 'GATELOG_BODY_SEARCH_MAX_BYTES',
    kind: 'bytes',
    default: '1MiB',
    min: KiB,
    max: 16 * MiB,
    reason: "Bytes of each body's text that filters search; longer texts are stored and shown whole. Applies to records from then on.",
  },
  countryHeader: {
    name: 'GATELOG_COUNTRY_HEADER',
    kind: 'header',
    reason:
      "Header in which the proxy in front of the gateway sends the caller's country, such as cf-ipcountry. Set it only when every caller passes that proxy.",
  },
  providerConnectTimeoutMs: {
    name: 'GATELOG_PROVIDER_CONNECT_TIMEOUT_MS',
    kind: 'integer',
    default: '10000',
    min: 1,
    max: 5 * minute,
    reason: 'Maximum milliseconds to connect to a provider.',
  },
  providerHeadersTimeoutMs: {
    name: 'GATELOG_PROVIDER_HEADERS_TIMEOUT_MS',
    kind: 'integer',
    default: '600000',
    min: 1,
    max: 24 * hour,
    reason: "Maximum milliseconds until a provider's response headers; reasoning models think for minutes before them.",
  },
  providerBodyTimeoutMs: {
    name: 'GATELOG_PROVIDER_BODY_TIMEOUT_MS',
    kind: 'integer',
    default: '600000',
    min: 1,
    max: 24 * hour,
    reason: "Maximum milliseconds of silence within a provider's response; then it counts as broken.",
  },
  providerIdleTimeoutMs: {
    name: 'GATELOG_PROVIDER_IDLE_TIMEOUT_MS',
    kind: 'integer',
    default: '4000',
    min: 1000,
    max: hour,
    reason:
      'Milliseconds for which an idle connection to a provider is kept, unless the provider announces another time. Servers in Python close theirs after five seconds without a word; with more than a server or a firewall on the way allows, calls meet dead connections and are sent twice.',
  },
  clientConnections: {
    name: 'GATELOG_CLIENT_CONNECTIONS',
    kind: 'integer',
    default: '8192',
    min: 1,
    max: 1_000_000,
    reason:
      'Maximum connections of callers to one gateway worker; further ones get 503 and are closed. Another worker or a retry may succeed.',
  },
  callsInFlight: {
    name: 'GATELOG_CALLS_IN_FLIGHT',
    kind: 'integer',
    default: '20000',
    min: 1,
    max: 1_000_000,
    reason:
      'Maximum concurrent calls of one gateway worker; further ones get 503. Each may have a body of 64 KiB in memory, beside GATELOG_HELD_BODIES_BYTES for larger ones.',
  },
  providerConnections: {
    name: 'GATELOG_PROVIDER_CONNECTIONS',
    kind: 'integer',
    default: '1024',
    min: 1,
    max: 65_535,
    reason:
      'Maximum connections of one gateway worker to one provider; further calls wait for one, at most GATELOG_PROVIDER_HEADERS_TIMEOUT_MS.',
  },
  stopCallsMs: {
    name: 'GATELOG_STOP_CALLS_MS',
    kind: 'integer',
    default: '30000',
    min: 0,
    max: hour,
    reason:
      'Milliseconds for which SIGTERM lets running calls go on before it cuts them; a second signal cuts them at once. Ctrl-C allows at most 1500. An orchestrator should wait 5 s longer before it kills.',
  },
  organizationSharePercent: {
    name: 'GATELOG_ORGANIZATION_SHARE_PERCENT',
    kind: 'integer',
    default: '90',
    min: 1,
    max: 100,
    reason:
      "Share of one organisation in percent of what others leave free: of a gateway worker's concurrent calls, its connections to a provider, its buffered bodies and the memory of running limits. The rest stays free for others. 100: no bound, for a deployment with one organisation.",
  },
  shareWaitMs: {
    name: 'GATELOG_SHARE_WAIT_MS',
    kind: 'integer',
    default: '10000',
    min: 1,
    max: hour,
    reason:
      'Maximum milliseconds for which a call waits while its organisation uses its share of connections (GATELOG_ORGANIZATION_SHARE_PERCENT), or for memory for its body (GATELOG_HELD_BODIES_BYTES); then 503.',
  },
  agentSessions: {
    name: 'GATELOG_AGENT_SESSIONS',
    kind: 'choice',
    choices: ['on', 'off'],
    default: 'on',
    reason:
      "Whether a call without a session of its own belongs to the one that its coding agent names (Claude Code's x-claude-code-session-id and others). off: only Svc- headers name sessions.",
  },
  logCalls: {
    name: 'GATELOG_LOG_CALLS',
    kind: 'choice',
    choices: ['auto', 'on', 'off'],
    default: 'auto',
    reason:
      'Whether the log has a line for each call: method, path, provider, model, status and duration, never a key or a body. Beyond 50 a second and worker the rest is summed up. auto: on a terminal.',
  },
  attemptsMax: {
    name: 'GATELOG_ATTEMPTS_MAX',
    kind: 'integer',
    default: '20',
    min: 1,
    max: 1000,
    reason: 'Maximum attempts of one call, retries (Svc-Retry-…) and fallbacks together; the last response is returned.',
  },
  retryWithinMs: {
    name: 'GATELOG_RETRY_WITHIN_MS',
    kind: 'integer',
    default: '60000',
    min: 0,
    max: hour,
    reason:
      'Milliseconds after the first attempt of a call within which it may be retried at the same provider; a client that waits longer has usually given up. 0: no retries.',
  },
} as const satisfies Readonly<Record<string, Variable>>;
