import type { Migration } from './migration.ts';

const tables = ['requests', 'bodies'] as const;

/**
 * Merges parts with a file for each column one column after the other, however few rows they have. By default that begins at 131,072 rows,
 * for tables of eleven columns or more; below, a merge has a buffer for every column of every part: eleven parts of large records took
 * 500 MB, and take 100 MB this way.
 *
 * Once two places for merges are free at most, merges are smaller, so that great ones, which may take an hour, do not hold up those of the
 * parts that arrive each second.
 */
const settings =
  'vertical_merge_algorithm_min_rows_to_activate = 1, vertical_merge_algorithm_min_columns_to_activate = 1, ' +
  'number_of_free_entries_in_pool_to_lower_max_size_of_merge = 3';

export const columnByColumn: Migration = {
  number: 19,
  name: 'merges column by column',
  statements: tables.map((table) => `ALTER TABLE ${table} MODIFY SETTING ${settings}`),
};
