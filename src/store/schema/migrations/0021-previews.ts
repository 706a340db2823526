import type { Migration } from './migration.ts';

/** What a list shows of a call, for which no body is read. Beside `display`, because texts that come later set them. */
export const previews: Migration = {
  number: 21,
  name: 'previews',
  statements: ['input_preview', 'output_preview'].map(
    (column) => `ALTER TABLE requests ADD COLUMN IF NOT EXISTS ${column} String CODEC(ZSTD(1))`,
  ),
};
