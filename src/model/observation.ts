/** Processes that are started again when they end. */
export type SupervisedRole = 'gateway' | 'core';

/** Why an exchange became a dead letter: it could not be read, the store never takes its rows, or it alone is more than fits into memory. */
export type DeadLetterCause = 'not_interpreted' | 'refused_by_store' | 'too_large';

/**
 * Something that happened and that an operator may want to know. The one vocabulary of the logger and the metrics: rooms emit
 * values of this union and never format log lines. No body, key or property value is part of an observation.
 */
export type Observation =
  | { readonly kind: 'process_started'; readonly role: SupervisedRole; readonly pid: number }
  | { readonly kind: 'process_ready'; readonly role: SupervisedRole; readonly pid: number; readonly address: string }
  | {
      readonly kind: 'process_exited';
      readonly role: SupervisedRole;
      readonly pid: number;
      readonly code: number | null;
      readonly signal: string | null;
    }
  /** A process lived and did not answer for so long; it was killed and is started again. */
  | { readonly kind: 'process_killed'; readonly role: SupervisedRole; readonly pid: number; readonly silentMs: number }
  /** A process that was to take the place of one that has ended cannot start; it is tried again. */
  | { readonly kind: 'process_not_started'; readonly role: SupervisedRole; readonly reason: string }
  | { readonly kind: 'exchange_not_recorded'; readonly reason: string }
  | { readonly kind: 'spool_append_failed'; readonly reason: string }
  | { readonly kind: 'spool_segment_damaged'; readonly segment: string; readonly offset: number; readonly reason: string }
  | { readonly kind: 'spool_series_finished'; readonly series: string; readonly abandoned: number }
  | { readonly kind: 'batch_stored'; readonly requests: number; readonly bytes: number; readonly ms: number }
  | { readonly kind: 'batch_failed'; readonly reason: string; readonly retryInMs: number }
  /** Changes that went into stored records could not be forgotten yet. */
  | { readonly kind: 'pending_changes_kept'; readonly changes: number; readonly reason: string }
  /** Usage that a later read of a response brought did not get into the record of its call. */
  | { readonly kind: 'usage_not_completed'; readonly reason: string }
  /** The redaction rules could not be applied to a record: what they look at was left out of it. */
  | { readonly kind: 'redaction_failed'; readonly requestId: string; readonly reason: string }
  /** The operator's threat check threw, or gave neither true nor false: the record's `threat` is null. */
  | { readonly kind: 'threat_check_failed'; readonly requestId: string; readonly reason: string }
  | { readonly kind: 'exchange_dead_lettered'; readonly requestId: string; readonly cause: DeadLetterCause; readonly reason: string }
  /** Dead letters went through the ingest again: how many are stored now, and how many have failed again. */
  | { readonly kind: 'dead_letters_replayed'; readonly stored: number; readonly failed: number }
  /** Dead letters are gone for good: of age, or because there were too many bytes of them. */
  | { readonly kind: 'dead_letters_removed'; readonly expired: number; readonly crowdedOut: number }
  /** Tables were brought up to date; `steps` are the names of those that ran. */
  | { readonly kind: 'database_prepared'; readonly database: 'store' | 'metadata'; readonly steps: readonly string[] }
  /** A call has ended. `status` 0: nobody was answered. `code`: our own error. */
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
  /** Calls that have ended in a second in which there were too many to tell of each. */
  | { readonly kind: 'more_calls'; readonly calls: number; readonly failed: number }
  /** A call failed in our own code, before or beside the provider. */
  | { readonly kind: 'call_failed'; readonly reason: string }
  /** A caller's own identifier could not be claimed. */
  | { readonly kind: 'claim_failed'; readonly reason: string }
  | { readonly kind: 'api_failed'; readonly endpoint: string; readonly reason: string }
  /** Limits could not be asked or settled: limits of calls let pass, budgets refuse, and what was reserved stays counted. */
  | { readonly kind: 'limits_failed'; readonly reason: string }
  /** What runs by the clock has failed; it runs again at its next time. */
  | { readonly kind: 'job_failed'; readonly job: string; readonly reason: string }
  /** The response cache could not be read or written: calls go to their providers. */
  | { readonly kind: 'cache_failed'; readonly reason: string }
  /** Prices that an organisation has stored cannot be read: those last seen hold. */
  | { readonly kind: 'prices_failed'; readonly reason: string }
  /** Commands that cross organisations do not reach the core. */
  | { readonly kind: 'operator_socket_missing'; readonly reason: string }
  /** Shared state that may be damaged was thrown away. */
  | { readonly kind: 'state_discarded'; readonly reason: string }
  | { readonly kind: 'key_lookup_failed'; readonly reason: string }
  /** The stored keys of providers could not be read. */
  | { readonly kind: 'provider_keys_failed'; readonly reason: string }
  /** A stored key of a provider was encrypted with another secret than this deployment's, or is damaged. */
  | { readonly kind: 'provider_key_unreadable'; readonly organizationId: string; readonly provider: string; readonly id: string }
  /** Files of a part of the store are not as they were written: what needs it fails. `rows` are those that it holds. */
  | { readonly kind: 'store_part_damaged'; readonly table: string; readonly part: string; readonly rows: number | null }
  /** The engine could not load a part at its start and moved it aside: its rows are in no answer. `rows` null: nothing says how many. */
  | { readonly kind: 'store_part_lost'; readonly table: string; readonly part: string; readonly rows: number | null }
  /** A part was set aside on the operator's order. */
  | { readonly kind: 'store_part_set_aside'; readonly table: string; readonly part: string; readonly rows: number | null }
  /** A user was erased, with so many stored requests and records on their way. */
  | { readonly kind: 'user_erased'; readonly requests: number; readonly spoolRecords: number }
  | { readonly kind: 'erasure_failed'; readonly reason: string; readonly retryInMs: number }
  /** Requests were removed because they were older than they may be. */
  | { readonly kind: 'expired_removed'; readonly requests: number }
  /** Nothing was removed by its age, as the clock has gone ahead of what it should be: so far, milliseconds. `clock` is what it says, ISO 8601. */
  | { readonly kind: 'removals_put_off'; readonly clock: string; readonly aheadMs: number }
  | { readonly kind: 'retention_failed'; readonly reason: string; readonly retryInMs: number };

/** Takes observations; must not throw. */
export type Observe = (observation: Observation) => void;
