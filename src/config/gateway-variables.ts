import { GiB, hour, KiB, type Machine, MiB, minute, type Variable } from './variable.ts';

export const gatewayVariables = {
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
    reason:
      'Milliseconds for a caller to send a whole request. A slower head is answered 408, a slower body recorded as that of a caller who left.',
  },
  clientStallTimeoutMs: {
    name: 'GATELOG_CLIENT_STALL_TIMEOUT_MS',
    kind: 'integer',
    default: '300000',
    least: 1000,
    most: 24 * hour,
    reason:
      'Milliseconds for which a caller may take nothing of a reply, of the gateway or the API, that waits for it; then the connection is broken off, and a model call is recorded as one whose caller left.',
  },
  keepAliveTimeoutMs: {
    name: 'GATELOG_KEEP_ALIVE_TIMEOUT_MS',
    kind: 'integer',
    default: '75000',
    least: 1000,
    most: hour,
    reason:
      'Milliseconds for which an idle connection to the gateway or the API is kept; behind a load balancer it has to be longer than its own time, or some requests meet a closed connection.',
  },
  headerMaxBytes: {
    name: 'GATELOG_HEADER_MAX_BYTES',
    kind: 'bytes',
    default: '640KiB',
    least: 8 * KiB,
    most: MiB,
    reason: 'Largest request head; room for 64 properties of 8 KiB each.',
  },
  routeMaxBytes: {
    name: 'GATELOG_ROUTE_MAX_BYTES',
    kind: 'bytes',
    default: '16MiB',
    least: KiB,
    most: 16 * MiB,
    reason:
      'Largest JSON body that is held and read for its model before forwarding; larger ones go by path alone, with svc-warning. All bodies together have GATELOG_HELD_BODIES_BYTES.',
  },
  heldBodiesBytes: {
    name: 'GATELOG_HELD_BODIES_BYTES',
    kind: 'bytes',
    default: '256MiB',
    least: 64 * MiB,
    most: 64 * GiB,
    reason:
      'Bytes of request bodies over 64 KiB that one gateway worker holds at once, with the copies in which it changes them. Without room a call that can do without goes on unheld, with svc-warning; any other waits for GATELOG_SHARE_WAIT_MS and is then answered 503.',
  },
  recordMaxBytes: {
    name: 'GATELOG_RECORD_MAX_BYTES',
    kind: 'bytes',
    default: '8MiB',
    least: 0,
    most: 128 * MiB,
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
  countryHeader: {
    name: 'GATELOG_COUNTRY_HEADER',
    kind: 'header',
    reason:
      'Header in which the proxy in front of the gateway names the country of a caller, for example cf-ipcountry; set it only where no caller can send it past that proxy.',
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
  providerIdleTimeoutMs: {
    name: 'GATELOG_PROVIDER_IDLE_TIMEOUT_MS',
    kind: 'integer',
    default: '30000',
    least: 1000,
    most: hour,
    reason:
      'Milliseconds for which an idle connection to a provider is kept, unless the provider names another time; longer than a firewall on the way allows, calls meet dead connections.',
  },
  clientConnections: {
    name: 'GATELOG_CLIENT_CONNECTIONS',
    kind: 'integer',
    default: '8192',
    least: 1,
    most: 1_000_000,
    reason:
      'Connections of callers to one gateway worker; further ones are answered 503 and closed, and another worker or a later try may have room.',
  },
  callsInFlight: {
    name: 'GATELOG_CALLS_IN_FLIGHT',
    kind: 'integer',
    default: '20000',
    least: 1,
    most: 1_000_000,
    reason:
      'Calls that one gateway worker has at once; further ones are answered 503. Each may have a body of 64 KiB in memory, beside GATELOG_HELD_BODIES_BYTES for larger ones.',
  },
  providerConnections: {
    name: 'GATELOG_PROVIDER_CONNECTIONS',
    kind: 'integer',
    default: '1024',
    least: 1,
    most: 65_535,
    reason:
      'Connections to one provider from one gateway worker; a call beyond them waits for one, for GATELOG_PROVIDER_HEADERS_TIMEOUT_MS at most.',
  },
  stopCallsMs: {
    name: 'GATELOG_STOP_CALLS_MS',
    kind: 'integer',
    default: '30000',
    least: 0,
    most: hour,
    reason:
      'Milliseconds for which a stop by SIGTERM lets running calls go on before it cuts them; a second signal cuts them at once. Ctrl-C gives them 1500 at most. What stops the service has to wait for 5 s more.',
  },
  organizationSharePercent: {
    name: 'GATELOG_ORGANIZATION_SHARE_PERCENT',
    kind: 'integer',
    default: '90',
    least: 1,
    most: 100,
    reason:
      'What one organisation may have of the calls at once of a gateway worker, of its connections to a provider, of the bytes of bodies that it holds and of the memory of running limits, in percent of what the others leave; the rest is there for the next one that comes. 100: no bound, for a deployment of one organisation.',
  },
  shareWaitMs: {
    name: 'GATELOG_SHARE_WAIT_MS',
    kind: 'integer',
    default: '10000',
    least: 1,
    most: hour,
    reason:
      'Milliseconds for which a call waits for a connection to its provider while its organisation has its share of them (GATELOG_ORGANIZATION_SHARE_PERCENT), or for room for its body (GATELOG_HELD_BODIES_BYTES); then it is answered 503.',
  },
  logCalls: {
    name: 'GATELOG_LOG_CALLS',
    kind: 'choice',
    choices: ['auto', 'on', 'off'],
    default: 'auto',
    reason:
      'Whether the log has a line for each call: method, path, provider, model, status and time, never a key or a body; of more than 50 a second of a worker the rest is added up. auto: on a terminal.',
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
} as const satisfies Readonly<Record<string, Variable>>;

function defaultWorkers({ cores }: Machine): string {
  return String(Math.max(1, Math.min(8, Math.floor(cores / 2))));
}
