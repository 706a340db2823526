/** Processes that the supervisor restarts. */
export type SupervisedRole = 'gateway' | 'core';

/** The exchange could not be parsed, the store rejects its rows, or it exceeds the memory limit on its own. */
export type DeadLetterCause = 'not_interpreted' | 'refused_by_store' | 'too_large';

/**
 * An event that an operator may want to know: the one vocabulary of the logger and the metrics. Rooms emit values of this union and never
 * format log lines. An observation holds no body, key or property value.
 */
export type Observation =
  /** Variables that Kubernetes sets for a Service named gatelog; they are no settings. */
  | { readonly kind: 'service_links_ignored'; readonly variables: readonly string[] }
  | { readonly kind: 'certificate_renewed' }
  /** Renewed files of the certificate cannot be used; the earlier ones still are. */
  | { readonly kind: 'certificate_not_renewed'; readonly reason: string }
  | { readonly kind: 'process_started'; readonly role: SupervisedRole; readonly pid: number }
  | { readonly kind: 'process_ready'; readonly role: SupervisedRole; readonly pid: number; readonly address: string }
  | {
      readonly kind: 'process_exited';
      readonly role: SupervisedRole;
      readonly pid: number;
      readonly code: number | null;
      readonly signal: string | null;
    }
  /** A process ran but did not respond for `silentMs`; it was killed and is restarted. */
  | { readonly kind: 'process_killed'; readonly role: SupervisedRole; readonly pid: number; readonly silentMs: number }
  /** The replacement of an exited process cannot start; the supervisor retries. */
  | { readonly kind: 'process_not_started'; readonly role: SupervisedRole; readonly reason: string }
  | { readonly kind: 'exchange_not_recorded'; readonly reason: string }
  | { readonly kind: 'spool_append_failed'; readonly reason: string }
  | { readonly kind: 'spool_segment_damaged'; readonly segment: string; readonly offset: number; readonly reason: string }
  | { readonly kind: 'spool_series_finished'; readonly series: string; readonly abandoned: number }
  | { readonly kind: 'batch_stored'; readonly requests: number; readonly bytes: number; readonly ms: number }
  | { readonly kind: 'batch_failed'; readonly reason: string; readonly retryInMs: number }
  /** Changes already merged into stored records could not be deleted from the pending list yet. */
  | { readonly kind: 'pending_changes_kept'; readonly changes: number; readonly reason: string }
  /** Usage that later reads brought could not be added to the records of their calls. */
  | { readonly kind: 'usage_not_completed'; readonly reads: number; readonly reason: string }
  /** What spans tell of sessions, paths and of the call of others could not be added to the records, or not be compared with all of them. */
  | { readonly kind: 'span_places_dropped'; readonly requests: number; readonly reason: string }
  /** What log records told of a span's texts was dropped. */
  | { readonly kind: 'span_texts_dropped'; readonly reason: string }
  /** A request of OTLP with log records or metrics was accepted, and not all of it kept. */
  | { readonly kind: 'telemetry_not_recorded'; readonly signal: 'logs' | 'metrics' }
  /** The redaction rules failed on a record; the fields that they cover were left out. */
  | { readonly kind: 'redaction_failed'; readonly requestId: string; readonly reason: string }
  /** The operator's threat check threw or did not return a boolean; the record's `threat` is null. */
  | { readonly kind: 'threat_check_failed'; readonly requestId: string; readonly reason: string }
  | { readonly kind: 'exchange_dead_lettered'; readonly requestId: string; readonly cause: DeadLetterCause; readonly reason: string }
  /** Dead letters were ingested again: `stored` succeeded, `failed` failed again. */
  | { readonly kind: 'dead_letters_replayed'; readonly stored: number; readonly failed: number }
  /** Dead letters were deleted because of their age or of the limit on their total size. */
  | { readonly kind: 'dead_letters_removed'; readonly expired: number; readonly crowdedOut: number }
  /** Schema migrations ran; `steps` are their names. */
  /** `isNew`: it did not exist. */
  | {
      readonly kind: 'database_prepared';
      readonly database: 'store' | 'metadata' | 'events' | 'audit';
      readonly isNew: boolean;
      readonly steps: readonly string[];
    }
  /** Stored bodies get a new order in the background: the requests of which they have it, and all. */
  | { readonly kind: 'bodies_move_started' | 'bodies_moving'; readonly moved: number; readonly total: number }
  | { readonly kind: 'bodies_moved'; readonly requests: number; readonly seconds: number }
  | { readonly kind: 'words_indexing' | 'words_indexed'; readonly months: number; readonly total: number }
  | { readonly kind: 'words_index_failed'; readonly reason: string; readonly retryInMs: number }
  | { readonly kind: 'bodies_move_failed'; readonly reason: string; readonly retryInMs: number }
  /** A call ended. `status` 0: no response. `code`: our own error. */
  | {
      readonly kind: 'call';
      readonly method: string;
      readonly path: string;
      readonly provider: string | undefined;
      readonly model: string | undefined;
      readonly status: number;
      readonly ms: number;
      readonly code: string | undefined;
    }
  /** Calls that ended in a second with too many calls to log each. */
  /** Addresses in replies of providers lead where callers may not want to go. */
  | { readonly kind: 'reply_addresses'; readonly reason: string }
  | { readonly kind: 'more_calls'; readonly calls: number; readonly failed: number }
  /** A call failed in our own code rather than at the provider. */
  | { readonly kind: 'call_failed'; readonly reason: string }
  /** The request id chosen by a caller could not be claimed. */
  | { readonly kind: 'claim_failed'; readonly reason: string }
  | { readonly kind: 'api_failed'; readonly endpoint: string; readonly reason: string }
  /** Limits could not be checked or settled. Call limits fail open, budgets fail closed, and reserved amounts stay counted. */
  | { readonly kind: 'limits_failed'; readonly reason: string }
  /** A scheduled job failed; it runs again at its next time. */
  | { readonly kind: 'job_failed'; readonly job: string; readonly reason: string }
  /** The response cache could not be read or written; calls go to their providers. */
  | { readonly kind: 'cache_failed'; readonly reason: string }
  /** An organisation's stored prices cannot be read; the last known ones stay in use. */
  | { readonly kind: 'prices_failed'; readonly reason: string }
  /** Deliveries or their attempts cannot be read or stored; they are tried again. */
  | { readonly kind: 'outbox_failed'; readonly reason: string }
  /** Deliveries were dropped from the log because of its limits. */
  | { readonly kind: 'delivery_log_pruned'; readonly expired: number; readonly crowdedOut: number }
  /** Operator commands across organisations cannot reach the core. */
  | { readonly kind: 'operator_socket_missing'; readonly reason: string }
  /** Memory that an idle process does without could not be given back. */
  | { readonly kind: 'memory_kept'; readonly reason: string }
  /** Deliveries of new or changed requests could not be made; they are made later. */
  | { readonly kind: 'webhooks_behind'; readonly reason: string }
  /** Filters of webhooks could not decide about requests, which their logs name; nothing was sent of them. */
  | { readonly kind: 'webhook_filter_failed'; readonly requests: number; readonly reason: string }
  /** Changes of stored requests that no webhook took in time; they are not announced. */
  | { readonly kind: 'webhook_updates_dropped'; readonly updates: number }
  /** Shared state was discarded because it may be damaged. */
  | { readonly kind: 'state_discarded'; readonly reason: string }
  /** A stop could not put the shared state on the disk: it does not outlive this boot of the machine. */
  | { readonly kind: 'state_not_synced'; readonly reason: string }
  | { readonly kind: 'key_lookup_failed'; readonly reason: string }
  /** The issuer could not be asked what a person is, or a setting gives people an organisation that there is not. */
  | { readonly kind: 'people_failed'; readonly reason: string }
  /** The audit log could not be written or pruned. */
  | { readonly kind: 'audit_failed'; readonly reason: string }
  | { readonly kind: 'provider_keys_failed'; readonly reason: string }
  /** A stored provider key is damaged or was encrypted with another secret than this deployment's. */
  | { readonly kind: 'provider_key_unreadable'; readonly organizationId: string; readonly provider: string; readonly id: string }
  /** A start waits for ClickHouse servers, while calls go on and are recorded in the spool. */
  | { readonly kind: 'store_awaited'; readonly reason: string }
  /** The records are in another store now; the service waits for a start with it. */
  | { readonly kind: 'records_moved'; readonly location: string }
  /** Files of a part of the store are damaged; reads that need them fail. `rows`: rows in the part. */
  | { readonly kind: 'store_part_damaged'; readonly table: string; readonly part: string; readonly rows: number | null }
  /** The engine could not load a part at startup and moved it aside; queries miss its rows. `rows` null: unknown. */
  | { readonly kind: 'store_part_lost'; readonly table: string; readonly part: string; readonly rows: number | null }
  /** A part was set aside by the operator. */
  | { readonly kind: 'store_part_set_aside'; readonly table: string; readonly part: string; readonly rows: number | null }
  /** A user was erased: numbers of stored requests and of records still in the spool. */
  | { readonly kind: 'user_erased'; readonly requests: number; readonly spoolRecords: number }
  | { readonly kind: 'erasure_failed'; readonly reason: string; readonly retryInMs: number }
  /** Requests were removed after their retention period. */
  | { readonly kind: 'expired_removed'; readonly requests: number }
  /** Removal by age is suspended because the clock (`clock`, ISO 8601) is `aheadMs` ahead of its expected time. */
  | { readonly kind: 'removals_put_off'; readonly clock: string; readonly aheadMs: number }
  | { readonly kind: 'retention_failed'; readonly reason: string; readonly retryInMs: number };

/** Must not throw. */
export type Observe = (observation: Observation) => void;
