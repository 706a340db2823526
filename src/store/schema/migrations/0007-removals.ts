import type { Migration } from './migration.ts';

/**
 * Requests under erasure, by the number of their erasure. They are listed before anything is deleted, so that an interrupted erasure finds
 * the rest.
 */
export const removals: Migration = {
  number: 7,
  name: 'removals',
  statements: [
    `CREATE TABLE IF NOT EXISTS removals (
      removal UInt64,
      org_id UInt128,
      created_at DateTime64(3, 'UTC'),
      request_id UInt128,
      session_id String
    )
    ENGINE = MergeTree
    PARTITION BY removal
    ORDER BY (org_id, created_at, request_id)
    SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
  ],
};
