import type { Migration } from './migration.ts';

/**
 * The history of what changed after a request was recorded: `old` and `new` are JSON, `null` where there was nothing. The identifier of a
 * feedback is a number by contract, and nothing ever wrote its text.
 */
export const changes: Migration = {
  number: 2,
  name: 'changes and the number of a feedback',
  statements: [
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS feedback_number Nullable(UInt64)',
    'ALTER TABLE requests DROP COLUMN IF EXISTS feedback_id',
    "ALTER TABLE requests ADD COLUMN IF NOT EXISTS cache_created_at Nullable(DateTime64(3, 'UTC'))",
    `CREATE TABLE IF NOT EXISTS changes (
      org_id UInt128,
      request_id UInt128,
      changed_at DateTime64(3, 'UTC'),
      number UInt64,
      name String,
      kind LowCardinality(String),
      key_id String,
      old String CODEC(ZSTD(1)),
      new String CODEC(ZSTD(1))
    )
    ENGINE = MergeTree
    PARTITION BY toYYYYMM(changed_at)
    ORDER BY (org_id, request_id, changed_at, number, name)
    SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`,
  ],
};
