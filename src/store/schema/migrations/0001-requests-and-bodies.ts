import type { Migration } from './migration.ts';

/**
 * Two tables: `requests` is narrow and updatable (lightweight updates need the two block columns), `bodies` is written once and carries the
 * text indexes. They stay apart because a text index in a table with pending patch parts silently hides rows (ClickHouse issue 106460).
 *
 * Identifiers are UInt128, not UUID: ClickHouse orders a UUID by its second half, and paging needs the order of the text. `id_text` and
 * `org_text` show them as people write them.
 */
export const requestsAndBodies: Migration = {
  number: 1,
  name: 'requests and bodies',
  statements: [
    `CREATE TABLE IF NOT EXISTS requests (
      org_id UInt128,
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
      feedback_id String,
      feedback_rating Nullable(Bool),
      feedback_created_at Nullable(DateTime64(3, 'UTC')),
      size_bytes UInt64,
      request_body_cut Bool,
      response_body_cut Bool,
      storage_location LowCardinality(String),
      id_text String ALIAS UUIDNumToString(reverse(reinterpretAsFixedString(request_id))),
      org_text String ALIAS UUIDNumToString(reverse(reinterpretAsFixedString(org_id))),
      INDEX request_id_bloom request_id TYPE bloom_filter(0.001) GRANULARITY 1,
      INDEX property_names mapKeys(properties) TYPE bloom_filter GRANULARITY 1,
      INDEX property_values mapValues(properties) TYPE bloom_filter GRANULARITY 1,
      INDEX session_id_bloom session_id TYPE bloom_filter GRANULARITY 1,
      INDEX user_id_bloom user_id TYPE bloom_filter GRANULARITY 1
    )
    ENGINE = MergeTree
    PARTITION BY toYYYYMM(created_at)
    ORDER BY (org_id, created_at, request_id)
    SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 10000,
      fsync_after_insert = 1, fsync_part_directory = 1`,
    `CREATE TABLE IF NOT EXISTS bodies (
      org_id UInt128,
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
      INDEX request_words lowerUTF8(request_body) TYPE text(tokenizer = splitByNonAlpha),
      INDEX response_words lowerUTF8(response_body) TYPE text(tokenizer = splitByNonAlpha),
      INDEX body_request_id_bloom request_id TYPE bloom_filter(0.001) GRANULARITY 1
    )
    ENGINE = MergeTree
    PARTITION BY toYYYYMM(created_at)
    ORDER BY (org_id, created_at, request_id)
    SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`,
  ],
};
