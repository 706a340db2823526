import { memoryDefault, memoryUses } from './memory.ts';
import { GiB, hour, MiB, type Variable } from './variable.ts';

export const storeVariables = {
  storeMemoryBytes: {
    name: 'GATELOG_STORE_MEMORY_BYTES',
    kind: 'bytes',
    default: memoryDefault(memoryUses.queries),
    min: 256 * MiB,
    max: 1024 * GiB,
    reason:
      'Memory of all queries in the store: a third of it, at least 128 MiB, for one large query at a time, a twelfth for exports, half of that for the rules that alert, the rest shared by all others. Groups and orders that need more than half of their part go through files.',
  },
  storeCacheBytes: {
    name: 'GATELOG_STORE_CACHE_BYTES',
    kind: 'bytes',
    default: memoryDefault(memoryUses.caches),
    min: 64 * MiB,
    max: 1024 * GiB,
    reason:
      'Memory for what the embedded store keeps of its indexes: keys, marks and words. It fills with the records that are read; with less than they need, queries read more from the disk.',
  },
  storeShortConnections: {
    name: 'GATELOG_STORE_SHORT_CONNECTIONS',
    kind: 'integer',
    default: '3',
    min: 2,
    max: 32,
    reason:
      'Maximum concurrent queries that find a few records by identifier or time; one organisation gets at most all but one. They share a sixth of the memory.',
  },
  storeLongConnections: {
    name: 'GATELOG_STORE_LONG_CONNECTIONS',
    kind: 'integer',
    default: '3',
    min: 2,
    max: 32,
    reason: 'Maximum concurrent other queries, with the same bound per organisation. They share three eighths of the memory.',
  },
  storeSpareBytes: {
    name: 'GATELOG_STORE_SPARE_BYTES',
    kind: 'bytes',
    default: '256MiB',
    min: 4 * MiB,
    max: 1024 * GiB,
    reason:
      'Bytes that the embedded store leaves free on its disk; with less, records wait in the spool. The file of the batch being inserted counts on top. At least two batches.',
  },
  queryTimeoutMs: {
    name: 'GATELOG_QUERY_TIMEOUT_MS',
    kind: 'integer',
    default: '30000',
    min: 1,
    max: hour,
    reason: 'Milliseconds after which a query ends with 504, its wait for a connection to the store included.',
  },
  queryMaxWaitMs: {
    name: 'GATELOG_QUERY_MAX_WAIT_MS',
    kind: 'integer',
    default: '10000',
    min: 1,
    max: hour,
    reason: 'Maximum milliseconds for which a query waits for a connection to the store or memory for its response; then 503.',
  },
  processSilenceMs: {
    name: 'GATELOG_PROCESS_SILENCE_MS',
    kind: 'integer',
    default: '30000',
    min: 2000,
    max: hour,
    reason:
      'Maximum milliseconds without a sign of life before the supervisor kills and restarts a gateway worker or the core; ten times as much during its start. A machine with far too few cores needs more.',
  },
  apiAnswersMaxBytes: {
    name: 'GATELOG_API_ANSWERS_MAX_BYTES',
    kind: 'bytes',
    default: memoryDefault(memoryUses.answers),
    min: 64 * MiB,
    max: 64 * GiB,
    reason:
      'Memory of all API responses that are being built or have not been read by their clients yet; one organisation gets at most half. Bodies over 64 KiB that come to the API have half as much beside it, by the same rule.',
  },
} as const satisfies Readonly<Record<string, Variable>>;
