import { GiB, hour, MiB, type Variable } from './variable.ts';

export const storeVariables = {
  storeMemoryBytes: {
    name: 'GATELOG_STORE_MEMORY_BYTES',
    kind: 'bytes',
    default: '2GiB',
    least: 256 * MiB,
    most: 1024 * GiB,
    reason:
      'Memory of all queries in the store together: half of it for one query at a time that needs much, the rest shared by all others.',
  },
  storeShortConnections: {
    name: 'GATELOG_STORE_SHORT_CONNECTIONS',
    kind: 'integer',
    default: '3',
    least: 2,
    most: 32,
    reason:
      'Queries that run at once of those that find a few records by identifier or time; one organisation has all but one of them at most. They share an eighth of the memory.',
  },
  storeLongConnections: {
    name: 'GATELOG_STORE_LONG_CONNECTIONS',
    kind: 'integer',
    default: '3',
    least: 2,
    most: 32,
    reason: 'All other queries that run at once, with the same bound for one organisation. They share three eighths of the memory.',
  },
  storeSpareBytes: {
    name: 'GATELOG_STORE_SPARE_BYTES',
    kind: 'bytes',
    default: '256MiB',
    least: 4 * MiB,
    most: 1024 * GiB,
    reason:
      'Bytes of its disk that the embedded store leaves free; with less, records wait in the spool. What a batch is sent in is counted beside it. Two batches at least.',
  },
  queryTimeoutMs: {
    name: 'GATELOG_QUERY_TIMEOUT_MS',
    kind: 'integer',
    default: '30000',
    least: 1,
    most: hour,
    reason: 'Milliseconds after which a query is ended with 504; its wait for a connection to the store counts.',
  },
  queryMaxWaitMs: {
    name: 'GATELOG_QUERY_MAX_WAIT_MS',
    kind: 'integer',
    default: '10000',
    least: 1,
    most: hour,
    reason: 'Milliseconds for which a query waits for a connection to the store, or for memory for its answer; then it is answered 503.',
  },
  processSilenceMs: {
    name: 'GATELOG_PROCESS_SILENCE_MS',
    kind: 'integer',
    default: '30000',
    least: 2000,
    most: hour,
    reason:
      'Milliseconds for which a gateway worker or the core may not answer its supervisor before it is killed and started again; ten times as much while it starts. What holds one up for longer than that, such as a machine that has far too few cores, needs more.',
  },
  apiAnswersMaxBytes: {
    name: 'GATELOG_API_ANSWERS_MAX_BYTES',
    kind: 'bytes',
    default: '512MiB',
    least: 64 * MiB,
    most: 64 * GiB,
    reason:
      'Memory of all answers of the API together, those that are put together and those that their clients have not taken yet; one organisation has half of it at most.',
  },
} as const satisfies Readonly<Record<string, Variable>>;
