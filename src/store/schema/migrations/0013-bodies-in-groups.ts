import type { Migration } from './migration.ts';

/** As of the step `upkeep of parts`. */
const durable = `fsync_after_insert = 1, fsync_part_directory = 1,
      min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1,
      cleanup_delay_period = 1, max_cleanup_delay_period = 1, cleanup_delay_period_random_add = 0`;

/**
 * Bodies in the order of their hour and group, the turns of a conversation side by side. A block of 4 MiB is compressed as a whole with a
 * window of that size, so that a turn which repeats the conversation costs what it adds. Smaller blocks, or a part with one file for all
 * columns, which compresses each granule apart, would store a conversation several times.
 *
 * Texts that a body contains are stored as the places of its JSON strings.
 *
 * Bodies from before are moved in the background, in the order of time; `body_moves` tells how far. A moved row is marked, because it is
 * read in its old place until then.
 *
 * Requests from before get their group from their session. The engine writes it into their parts in the background, because a session may
 * change later; a group may not.
 */
export const bodiesInGroups: Migration = {
  number: 13,
  name: 'bodies in groups',
  statements: [
    `CREATE TABLE IF NOT EXISTS bodies (
      org_id UInt128,
      created_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
      request_id UInt128 CODEC(ZSTD(1)),
      body_group UInt64 CODEC(ZSTD(1)),
      request_kind LowCardinality(String),
      request_body String CODEC(ZSTD(3, 22)) SETTINGS (min_compress_block_size = 4194304, max_compress_block_size = 4194304),
      request_rest String CODEC(ZSTD(3, 22)) SETTINGS (min_compress_block_size = 4194304, max_compress_block_size = 4194304),
      request_content_type LowCardinality(String),
      response_kind LowCardinality(String),
      response_body String CODEC(ZSTD(3, 22)) SETTINGS (min_compress_block_size = 4194304, max_compress_block_size = 4194304),
      response_rest String CODEC(ZSTD(3, 22)) SETTINGS (min_compress_block_size = 4194304, max_compress_block_size = 4194304),
      response_content_type LowCardinality(String),
      prompt_spans Array(Tuple(UInt32, UInt32)) CODEC(ZSTD(1)),
      prompt_text String CODEC(ZSTD(3, 22)),
      last_user_spans Array(Tuple(UInt32, UInt32)) CODEC(ZSTD(1)),
      last_user_text String CODEC(ZSTD(3, 22)),
      completion_spans Array(Tuple(UInt32, UInt32)) CODEC(ZSTD(1)),
      completion_text String CODEC(ZSTD(3, 22)),
      moved Bool DEFAULT false,
      INDEX request_words lowerUTF8(request_body) TYPE text(tokenizer = splitByNonAlpha),
      INDEX response_words lowerUTF8(response_body) TYPE text(tokenizer = splitByNonAlpha),
      INDEX body_request_id_bloom request_id TYPE bloom_filter(0.001) GRANULARITY 1,
      INDEX request_is_long (request_rest != '') TYPE set(2) GRANULARITY 16,
      INDEX response_is_long (response_rest != '') TYPE set(2) GRANULARITY 16
    )
    ENGINE = MergeTree
    PARTITION BY toYYYYMM(created_at)
    ORDER BY (org_id, toStartOfHour(created_at), body_group, created_at, request_id)
    SETTINGS index_granularity = 256, index_granularity_bytes = 1048576, min_bytes_for_wide_part = 16777216,
      non_replicated_deduplication_window = 10000, merge_selector_base = 10, ${durable}`,
    `CREATE TABLE IF NOT EXISTS body_moves (moved_to DateTime64(3, 'UTC'))
    ENGINE = MergeTree ORDER BY moved_to
    SETTINGS ${durable}, min_bytes_for_wide_part = 134217728`,
    `ALTER TABLE requests ADD COLUMN IF NOT EXISTS body_group UInt64 DEFAULT
      bitShiftLeft(toUInt64(if(session_id = '', CRC32(toString(model)), CRC32(session_id))), 32) + if(session_id = '', CRC32(user_id), 0)`,
    'ALTER TABLE requests MATERIALIZE COLUMN body_group SETTINGS mutations_sync = 0',
  ],
};
