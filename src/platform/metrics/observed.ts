import type { DeadLetterCause, Observation, Observe, SupervisedRole } from '../../model/observation.ts';
import { type MetricFamily, type Meter, secondsBounds } from './meter.ts';

type Kind = Observation['kind'];

/** A metric derived from one kind of observation beside its count. */
interface Measure<K extends Kind> {
  readonly family: MetricFamily;
  readonly labels?: (observation: Extract<Observation, { kind: K }>) => readonly string[];
  /** Added to a counter or counted in a histogram; default 1. */
  readonly value?: (observation: Extract<Observation, { kind: K }>) => number;
}

const roles: Readonly<Record<SupervisedRole, true>> = { gateway: true, core: true };
const causes: Readonly<Record<DeadLetterCause, true>> = { not_interpreted: true, refused_by_store: true, too_large: true };

const exits: MetricFamily = {
  name: 'gatelog_process_exits_total',
  kind: 'counter',
  help: 'Processes that ended without having been told to and were started again.',
  labels: { role: Object.keys(roles) },
};
const recordsStored: MetricFamily = { name: 'gatelog_records_stored_total', kind: 'counter', help: 'Records that the store has accepted.' };
const recordBytes: MetricFamily = {
  name: 'gatelog_record_spool_bytes_total',
  kind: 'counter',
  help: 'Bytes that the stored records had in the spool.',
};
const batchRecords: MetricFamily = {
  name: 'gatelog_batch_records',
  kind: 'histogram',
  help: 'Records in one batch.',
  bounds: [1, 5, 10, 50, 100, 500, 1000, 5000, 10_000, 100_000],
};
const batchSeconds: MetricFamily = {
  name: 'gatelog_batch_duration_seconds',
  kind: 'histogram',
  help: 'From the beginning of a batch until the store had it.',
  bounds: secondsBounds,
};
const batchFailures: MetricFamily = { name: 'gatelog_batch_failures_total', kind: 'counter', help: 'Failed attempts to store a batch.' };
const deadLetters: MetricFamily = {
  name: 'gatelog_dead_letters_total',
  kind: 'counter',
  help: 'Exchanges that could not be stored and were kept as dead letters.',
  labels: { cause: Object.keys(causes) },
};

const lettersRemoved: MetricFamily = {
  name: 'gatelog_dead_letters_removed_total',
  kind: 'counter',
  help: 'Dead letters, of one exchange each, that were removed without being asked for: older than GATELOG_DEAD_LETTER_DAYS, or beyond GATELOG_DEAD_LETTER_MAX_BYTES. Where a replay of one was under way, its record may be stored all the same.',
  labels: { reason: ['too_old', 'no_room'] },
};

const updatesDropped: MetricFamily = {
  name: 'gatelog_webhook_updates_dropped_total',
  kind: 'counter',
  help: 'Changes of stored requests that are not announced, because no webhook of their organisation took a million of them in time.',
};

const notRecorded: MetricFamily = {
  name: 'gatelog_otlp_not_recorded_total',
  kind: 'counter',
  help: 'Requests of OTLP with metrics, or with log records that tell of no text of a model’s call; they are accepted and not kept.',
  labels: { signal: ['logs', 'metrics'] },
};

const readsDropped: MetricFamily = {
  name: 'gatelog_usage_not_completed_total',
  kind: 'counter',
  help: 'Reads of responses, or of batches, whose usage reached no record: no call with their address and credential is on record, too many wait for theirs, or the store refused it.',
};

const textsDropped: MetricFamily = {
  name: 'gatelog_span_texts_dropped_total',
  kind: 'counter',
  help: 'Spans of which log records told texts that were dropped: no request of the span came within an hour, or its organisation has too many that wait.',
};

/** The metrics of each kind of observation beside its count. */
const measures: { readonly [K in Kind]: readonly Measure<K>[] } = {
  certificate_renewed: [],
  certificate_not_renewed: [],
  process_started: [],
  process_ready: [],
  process_exited: [{ family: exits, labels: ({ role }) => [role] }],
  process_killed: [],
  process_not_started: [],
  service_links_ignored: [],
  exchange_not_recorded: [],
  spool_append_failed: [],
  spool_segment_damaged: [],
  spool_series_finished: [],
  batch_stored: [
    { family: recordsStored, value: ({ requests }) => requests },
    { family: recordBytes, value: ({ bytes }) => bytes },
    { family: batchRecords, value: ({ requests }) => requests },
    { family: batchSeconds, value: ({ ms }) => ms / 1000 },
  ],
  batch_failed: [{ family: batchFailures }],
  pending_changes_kept: [],
  usage_not_completed: [{ family: readsDropped, value: ({ reads }) => reads }],
  span_places_dropped: [],
  span_texts_dropped: [{ family: textsDropped }],
  telemetry_not_recorded: [{ family: notRecorded, labels: ({ signal }) => [signal] }],
  redaction_failed: [],
  threat_check_failed: [],
  exchange_dead_lettered: [{ family: deadLetters, labels: ({ cause }) => [cause] }],
  dead_letters_replayed: [],
  dead_letters_removed: [
    { family: lettersRemoved, labels: () => ['too_old'], value: ({ expired }) => expired },
    { family: lettersRemoved, labels: () => ['no_room'], value: ({ crowdedOut }) => crowdedOut },
  ],
  user_erased: [],
  erasure_failed: [],
  expired_removed: [],
  retention_failed: [],
  removals_put_off: [],
  database_prepared: [],
  bodies_move_started: [],
  bodies_moving: [],
  bodies_moved: [],
  bodies_move_failed: [],
  words_indexing: [],
  words_indexed: [],
  words_index_failed: [],
  call: [],
  reply_addresses: [],
  more_calls: [],
  call_failed: [],
  claim_failed: [],
  api_failed: [],
  limits_failed: [],
  job_failed: [],
  cache_failed: [],
  prices_failed: [],
  outbox_failed: [],
  delivery_log_pruned: [],
  webhooks_behind: [],
  webhook_filter_failed: [],
  webhook_updates_dropped: [{ family: updatesDropped, value: ({ updates }) => updates }],
  operator_socket_missing: [],
  memory_kept: [],
  state_discarded: [],
  state_not_synced: [],
  store_part_damaged: [],
  store_part_lost: [],
  store_part_set_aside: [],
  store_awaited: [],
  records_moved: [],
  key_lookup_failed: [],
  people_failed: [],
  audit_failed: [],
  provider_keys_failed: [],
  provider_key_unreadable: [],
};

const events: MetricFamily = {
  name: 'gatelog_events_total',
  kind: 'counter',
  help: 'What happened, by the kind that its line in the log has.',
  labels: { kind: Object.keys(measures) },
};

export const eventFamilies: readonly MetricFamily[] = [events, notRecorded];
export const supervisionFamilies: readonly MetricFamily[] = [exits];
/** All others: a family that no process has would make its observation fail, and with it the work that is observed. */
export const ingestEventFamilies: readonly MetricFamily[] = [
  ...new Set(Object.values(measures).flatMap((each) => each.map(({ family }) => family))),
].filter((family) => ![...eventFamilies, ...supervisionFamilies].includes(family));

/** Measures every observation and passes it to `next`. The meter has the families of all kinds that this process observes. */
export function measured(meter: Meter, next: Observe): Observe {
  return (observation) => {
    meter.add(events, [observation.kind]);
    measure(meter, observation);
    next(observation);
  };
}

function measure<K extends Kind>(meter: Meter, observation: Extract<Observation, { kind: K }>): void {
  for (const { family, labels, value } of measures[observation.kind]) {
    const amount = value?.(observation) ?? 1;
    const series = labels?.(observation) ?? [];
    if (family.kind === 'histogram') meter.record(family, series, amount);
    else meter.add(family, series, amount);
  }
}
