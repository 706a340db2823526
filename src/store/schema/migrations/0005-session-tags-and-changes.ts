import type { Migration } from './migration.ts';

/**
 * Tags and changes of whole sessions. Tags: the row with the maximum number is in force, an empty tag is none; merges drop the older rows.
 * Changes: one row per name of a call; each changed request holds the number of the call.
 */
export const sessionTagsAndChanges: Migration = {
  number: 5,
  name: 'session tags and changes',
  statements: [
    `CREATE TABLE IF NOT EXISTS session_tags (
      org_id UInt128,
      session_id String,
      number UInt64,
      changed_at DateTime64(3, 'UTC'),
      key_id String,
      tag String
    )
    ENGINE = ReplacingMergeTree(number)
    ORDER BY (org_id, session_id)
    SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
    `CREATE TABLE IF NOT EXISTS session_changes (
      org_id UInt128,
      number UInt64,
      name String,
      session_id String,
      changed_at DateTime64(3, 'UTC'),
      key_id String,
      new String CODEC(ZSTD(1))
    )
    ENGINE = MergeTree
    ORDER BY (org_id, number, name)
    SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1`,
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS session_changes Array(UInt64)',
  ],
};
