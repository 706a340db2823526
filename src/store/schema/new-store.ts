import type { TableDefinition } from './table-definition.ts';

/** Up to this size a part has one file for all columns. */
const wideFrom = 'min_bytes_for_wide_part = 134217728';

/** Fewer and smaller merges, with a buffer for one column at a time: the steps `fewer merges` and `merges column by column`. */
const merges = `merge_selector_base = 10,
      vertical_merge_algorithm_min_rows_to_activate = 1, vertical_merge_algorithm_min_columns_to_activate = 1,
      number_of_free_entries_in_pool_to_lower_max_size_of_merge = 3`;

const deduplicatedBlocks = 10_000;

/**
 * A page, a session and a search read single rows, each of which costs its granule; the engine's 8,192 rows made a search twice as dear as
 * it is. Smaller ones slow the sums over all rows down.
 */
const granuleRows = 2048;

const display = [
  'toUnixTimestamp64Milli(response_created_at), path, target_url, provider, request_model, response_model, model, response_id, status,',
  'latency, gateway_overhead, total_tokens, prompt_tokens, completion_tokens, usage_raw, size_bytes, storage_location, user_id,',
  'time_to_first_token, prompt_cache_read_tokens, reasoning_tokens, referrer, country_code, model_override, node_id, job_id, prompt_id,',
  'prompt_version, attempts, prompt_cache_write_tokens, prompt_audio_tokens, completion_audio_tokens, usage_estimated, cache_enabled, cached,',
  'cache_reference_id, threat, is_passthrough_billing, assets, request_body_cut, response_body_cut, aliased_names, trace_id, span_id,',
  'time_to_first_byte, streamed, failure_kind, failure_type, failure_message, client, client_version',
].join(' ');

const requests: TableDefinition = {
  name: 'requests',
  columns: `      org_id UInt128,
      created_at DateTime64(3, 'UTC'),
      request_id UInt128,
      response_created_at Nullable(DateTime64(3, 'UTC')),
      updated_at DateTime64(3, 'UTC'),
      key_hash String,
      method LowCardinality(String),
      path String,
      referrer String,
      target_url String,
      provider LowCardinality(String),
      country_code LowCardinality(String),
      request_model LowCardinality(String),
      response_model LowCardinality(String),
      model_override LowCardinality(String),
      model LowCardinality(String),
      user_id String,
      session_id String,
      session_name String,
      session_path String,
      properties Map(String, String),
      node_id String,
      job_id String,
      prompt_id String,
      prompt_version String,
      experiment_id String,
      inputs Map(String, String),
      response_id String,
      status UInt16,
      latency Nullable(UInt64),
      time_to_first_token Nullable(UInt64),
      gateway_overhead Nullable(Float64),
      attempts String,
      prompt_tokens Nullable(UInt64),
      completion_tokens Nullable(UInt64),
      prompt_cache_read_tokens Nullable(UInt64),
      prompt_cache_write_tokens Nullable(UInt64),
      prompt_audio_tokens Nullable(UInt64),
      completion_audio_tokens Nullable(UInt64),
      reasoning_tokens Nullable(UInt64),
      total_tokens Nullable(UInt64),
      usage_estimated Bool,
      usage_raw String,
      service_tier LowCardinality(String),
      cost Nullable(Decimal(38, 12)),
      cost_source LowCardinality(String),
      price_reference LowCardinality(String),
      cache_enabled Bool,
      cached Bool,
      cache_reference_id String,
      threat Nullable(Bool),
      is_passthrough_billing Nullable(Bool),
      assets Array(String),
      scores Map(String, Float64),
      feedback_rating Nullable(Bool),
      feedback_created_at Nullable(DateTime64(3, 'UTC')),
      size_bytes UInt64,
      request_body_cut Bool,
      response_body_cut Bool,
      storage_location LowCardinality(String),
      id_text String ALIAS UUIDNumToString(reverse(reinterpretAsFixedString(request_id))),
      org_text String ALIAS UUIDNumToString(reverse(reinterpretAsFixedString(org_id))),
      feedback_number Nullable(UInt64),
      cache_created_at Nullable(DateTime64(3, 'UTC')),
      session_changes Array(UInt64),
      applied_price LowCardinality(String),
      usage_parts Map(LowCardinality(String), UInt64),
      aliased_names Bool,
      display String DEFAULT toJSONString(tuple(${display})) CODEC(ZSTD(1)),
      body_group UInt64 DEFAULT
        bitShiftLeft(toUInt64(if(session_id = '', CRC32(toString(model)), CRC32(session_id))), 32) + if(session_id = '', CRC32(user_id), 0),
      stored_number UInt64 CODEC(Delta, ZSTD(1)),
      trace_id String,
      span_id String,
      span_links Array(String),
      credential_hash String,
      time_to_first_byte Nullable(UInt64) DEFAULT time_to_first_token,
      streamed Bool DEFAULT time_to_first_token IS NOT NULL,
      failure_kind LowCardinality(String) DEFAULT
        multiIf(status = 0, 'no_reply', (status < 200 OR status >= 400) AND status != 499, 'status', ''),
      failure_type LowCardinality(String),
      failure_message String,
      client LowCardinality(String),
      client_version LowCardinality(String),
      input_preview String CODEC(ZSTD(1)),
      output_preview String CODEC(ZSTD(1)),
      INDEX request_id_bloom request_id TYPE bloom_filter(0.001) GRANULARITY 1,
      INDEX property_names mapKeys(properties) TYPE bloom_filter GRANULARITY 1,
      INDEX property_values mapValues(properties) TYPE bloom_filter GRANULARITY 1,
      INDEX session_id_bloom session_id TYPE bloom_filter GRANULARITY 1,
      INDEX user_id_bloom user_id TYPE bloom_filter GRANULARITY 1,
      INDEX stored_number_range stored_number TYPE minmax GRANULARITY 1,
      INDEX trace_id_bloom trace_id TYPE bloom_filter GRANULARITY 1,
      INDEX response_id_bloom response_id TYPE bloom_filter GRANULARITY 1`,
  order: `PARTITION BY toYYYYMM(created_at)
    ORDER BY (org_id, created_at, request_id)`,
  deduplicatedBlocks,
  settings: `enable_block_number_column = 1, enable_block_offset_column = 1, index_granularity = ${granuleRows}, ${wideFrom}, ${merges}`,
};

const newWords = [1, 2, 3].map((place) => `substring(request_body, new_spans[${place}].1, new_spans[${place}].2)`).join(`, ' ', `);
const words = `TYPE text(tokenizer = splitByNonAlpha, posting_list_codec = 'bitpacking')`;
/** Blocks of about a granule of conversations: the step `smaller blocks`. */
const blocks = {
  request: 'SETTINGS (min_compress_block_size = 262144, max_compress_block_size = 2097152)',
  response: 'SETTINGS (min_compress_block_size = 65536, max_compress_block_size = 1048576)',
} as const;

const bodies: TableDefinition = {
  name: 'bodies',
  columns: `      org_id UInt128,
      created_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
      request_id UInt128 CODEC(ZSTD(1)),
      body_group UInt64 CODEC(ZSTD(1)),
      request_kind LowCardinality(String),
      request_body String CODEC(ZSTD(3, 22)) ${blocks.request},
      request_rest String CODEC(ZSTD(3, 22)) ${blocks.request},
      request_content_type LowCardinality(String),
      response_kind LowCardinality(String),
      response_body String CODEC(ZSTD(3, 22)) ${blocks.response},
      response_rest String CODEC(ZSTD(3, 22)) ${blocks.response},
      response_content_type LowCardinality(String),
      prompt_spans Array(Tuple(UInt32, UInt32)) CODEC(ZSTD(1)),
      prompt_text String CODEC(ZSTD(3, 22)),
      last_user_spans Array(Tuple(UInt32, UInt32)) CODEC(ZSTD(1)),
      last_user_text String CODEC(ZSTD(3, 22)),
      completion_spans Array(Tuple(UInt32, UInt32)) CODEC(ZSTD(1)),
      completion_text String CODEC(ZSTD(3, 22)),
      moved Bool DEFAULT false,
      new_spans Array(Tuple(UInt32, UInt32))
        DEFAULT [(toUInt32(1), toUInt32(4294967295)), (toUInt32(1), toUInt32(0)), (toUInt32(1), toUInt32(0))] CODEC(ZSTD(1)),
      INDEX body_request_id_bloom request_id TYPE bloom_filter(0.001) GRANULARITY 1,
      INDEX request_is_long (request_rest != '') TYPE set(2) GRANULARITY 16,
      INDEX response_is_long (response_rest != '') TYPE set(2) GRANULARITY 16,
      INDEX new_request_words lowerUTF8(concat(${newWords})) ${words},
      INDEX packed_response_words lowerUTF8(concat(response_body, ' ')) ${words}`,
  order: `PARTITION BY toYYYYMM(created_at)
    ORDER BY (org_id, toStartOfHour(created_at), body_group, created_at, request_id)`,
  deduplicatedBlocks,
  settings: `index_granularity = 256, index_granularity_bytes = 1048576, min_bytes_for_wide_part = 16777216, ${merges}`,
};

/** Stays empty here: what reads bodies knows one form of a store. */
const bodiesBefore: TableDefinition = {
  name: 'bodies_before',
  columns: `      org_id UInt128,
      created_at DateTime64(3, 'UTC'),
      request_id UInt128,
      request_kind LowCardinality(String),
      request_body String CODEC(ZSTD(1)),
      request_content_type LowCardinality(String),
      response_kind LowCardinality(String),
      response_body String CODEC(ZSTD(1)),
      response_content_type LowCardinality(String),
      prompt_text String CODEC(ZSTD(1)),
      last_user_text String CODEC(ZSTD(1)),
      completion_text String CODEC(ZSTD(1)),
      request_rest String CODEC(ZSTD(1)),
      response_rest String CODEC(ZSTD(1)),
      INDEX request_words lowerUTF8(request_body) TYPE text(tokenizer = splitByNonAlpha),
      INDEX response_words lowerUTF8(response_body) TYPE text(tokenizer = splitByNonAlpha),
      INDEX body_request_id_bloom request_id TYPE bloom_filter(0.001) GRANULARITY 1,
      INDEX request_is_long (request_rest != '') TYPE set(2) GRANULARITY 16,
      INDEX response_is_long (response_rest != '') TYPE set(2) GRANULARITY 16`,
  order: `PARTITION BY toYYYYMM(created_at)
    ORDER BY (org_id, created_at, request_id)`,
  deduplicatedBlocks,
  settings: `${wideFrom}, merge_selector_base = 10`,
};

/** The steps that a store has. */
export const schemaMigrations: TableDefinition = {
  name: 'schema_migrations',
  columns: `      number UInt32,
      name String,
      applied_at DateTime64(3, 'UTC') DEFAULT now64(3)`,
  order: 'ORDER BY number',
  settings: wideFrom,
};

/**
 * The tables of a store in which nothing has been stored, as all steps would have made them, but for the granules of `requests`: the engine
 * changes those of no table. A step that changes a table changes this as well; `new-store.test.ts` compares both.
 */
export const newStore: readonly TableDefinition[] = [
  requests,
  bodies,
  bodiesBefore,
  {
    name: 'body_moves',
    columns: `moved_to DateTime64(3, 'UTC')`,
    order: `ORDER BY moved_to`,
    settings: wideFrom,
  },
  {
    name: 'changes',
    columns: `      org_id UInt128,
      request_id UInt128,
      changed_at DateTime64(3, 'UTC'),
      number UInt64,
      name String,
      kind LowCardinality(String),
      key_id String,
      old String CODEC(ZSTD(1)),
      new String CODEC(ZSTD(1))`,
    order: `PARTITION BY toYYYYMM(changed_at)
    ORDER BY (org_id, request_id, changed_at, number, name)`,
    deduplicatedBlocks,
    settings: wideFrom,
  },
  {
    name: 'session_tags',
    columns: `      org_id UInt128,
      session_id String,
      number UInt64,
      changed_at DateTime64(3, 'UTC'),
      key_id String,
      tag String`,
    newestBy: 'number',
    order: `ORDER BY (org_id, session_id)`,
    settings: wideFrom,
  },
  {
    name: 'session_changes',
    columns: `      org_id UInt128,
      number UInt64,
      name String,
      session_id String,
      changed_at DateTime64(3, 'UTC'),
      key_id String,
      new String CODEC(ZSTD(1))`,
    order: `ORDER BY (org_id, number, name)`,
    deduplicatedBlocks: 1000,
    settings: wideFrom,
  },
  {
    name: 'removals',
    columns: `      removal UInt64,
      org_id UInt128,
      created_at DateTime64(3, 'UTC'),
      request_id UInt128,
      session_id String`,
    order: `PARTITION BY removal
    ORDER BY (org_id, created_at, request_id)`,
    settings: wideFrom,
  },
  {
    name: 'job_requests',
    columns: `      job UInt64,
      org_id UInt128,
      created_at DateTime64(3, 'UTC'),
      request_id UInt128`,
    order: `PARTITION BY job
    ORDER BY (org_id, created_at, request_id)`,
    settings: wideFrom,
  },
];
