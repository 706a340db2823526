import type { Migration } from './migration.ts';

/**
 * The number of a record in the order in which records are stored, by which live streams go on. Records from before have 0. The rows of a
 * granule were stored at about the same time, so the index leaves out nearly all others; parts from before have it after their next merge.
 */
export const storedOrder: Migration = {
  number: 16,
  name: 'order of storage',
  statements: [
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS stored_number UInt64 CODEC(Delta, ZSTD(1))',
    'ALTER TABLE requests ADD INDEX IF NOT EXISTS stored_number_range stored_number TYPE minmax GRANULARITY 1',
  ],
};
