import type { Migration } from './migration.ts';

/**
 * Requests that a running job covers, by its number. They are listed before any of them changes, so that a change does not alter the list.
 * A partition is dropped when its job ends.
 */
export const jobRequests: Migration = {
  number: 15,
  name: 'requests of jobs',
  statements: [
    `CREATE TABLE IF NOT EXISTS job_requests (
      job UInt64,
      org_id UInt128,
      created_at DateTime64(3, 'UTC'),
      request_id UInt128
    )
    ENGINE = MergeTree
    PARTITION BY job
    ORDER BY (org_id, created_at, request_id)
    SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
      min_compressed_bytes_to_fsync_after_merge = 1, cleanup_delay_period = 1, max_cleanup_delay_period = 1,
      cleanup_delay_period_random_add = 0, min_bytes_for_wide_part = 134217728`,
  ],
};
