import type { Migration } from './migration.ts';

/**
 * The history of changes after a request was recorded: `old` and `new` are JSON, `null` for an absent value. Also drops the text
 * identifier of a feedback, which nothing ever wrote: `feedback_number` is the identifier.
 */
export const changes: Migration = {
  number: 3,
  name: 'changes',
  statements: [
    'ALTER TABLE requests DROP COLUMN IF EXISTS feedback_id',
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
