import type { Migration } from './migration.ts';

const tables = ['requests', 'bodies', 'changes', 'session_tags', 'session_changes', 'removals'] as const;

/**
 * Upkeep of parts that a merge has replaced.
 *
 * The embedded engine deletes them without the delay in which the system would have written their successor to the disk
 * (`old_parts_lifetime` is 0 there), so a power loss could take rows that were synced on arrival. Successors are therefore synced before
 * anything is deleted.
 *
 * By default the engine looks for such parts about once a minute, and then deletes thousands of files at once. A disk that gets a discard
 * for every freed block is busy for half a second or more, and every sync waits as long. A few files each second cost nothing.
 *
 * A part of more than 10 MiB, some seconds of a busy service, would have one file per column, more than two hundred for `requests`. Parts
 * that soon go into another merge do not need them: up to 128 MiB a part has one file for all columns.
 */
const settings = {
  min_rows_to_fsync_after_merge: 1,
  min_compressed_bytes_to_fsync_after_merge: 1,
  cleanup_delay_period: 1,
  max_cleanup_delay_period: 1,
  cleanup_delay_period_random_add: 0,
  min_bytes_for_wide_part: 128 * 1024 * 1024,
} as const;

/** Syncs merged parts, and deletes replaced ones gradually. */
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
