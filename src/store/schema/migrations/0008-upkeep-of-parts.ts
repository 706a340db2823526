import type { Migration } from './migration.ts';

/** Every table that records, changes and erasures write to. */
const tables = ['requests', 'bodies', 'changes', 'session_tags', 'session_changes', 'removals'] as const;

/**
 * What becomes of parts that a merge has replaced.
 *
 * The embedded engine lets them go without the time in which the system would have brought their successor to the disk (`old_parts_lifetime` is 0
 * there), so a power loss could take rows that were synced when they came. Successors are therefore synced before anything goes.
 *
 * By itself the engine looks for such parts about once a minute, and then deletes thousands of files at once. A disk that is told of every freed
 * block is busy with that for half a second and longer, and whoever waits for a write to reach it waits as well: each second a few are nothing.
 *
 * A part of more than 10 MiB, some seconds of a busy service, would have files of its own for each column, more than two hundred of `requests`. What
 * soon goes into another merge does not need them: up to 128 MiB a part has one file for all columns.
 */
const settings = {
  min_rows_to_fsync_after_merge: 1,
  min_compressed_bytes_to_fsync_after_merge: 1,
  cleanup_delay_period: 1,
  max_cleanup_delay_period: 1,
  cleanup_delay_period_random_add: 0,
  min_bytes_for_wide_part: 128 * 1024 * 1024,
} as const;

/** How merged parts reach the disk, and how what they replace leaves it. */
export const upkeepOfParts: Migration = {
  number: 8,
  name: 'upkeep of parts',
  statements: tables.map(
    (table) =>
      `ALTER TABLE ${table} MODIFY SETTING ${Object.entries(settings)
        .map(([name, value]) => `${name} = ${value}`)
        .join(', ')}`,
  ),
};
