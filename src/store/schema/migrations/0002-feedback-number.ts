import type { Migration } from './migration.ts';

/** The contract makes the identifier of a feedback a number. */
export const feedbackNumber: Migration = {
  number: 2,
  name: 'feedback number, time of a cached original',
  statements: [
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS feedback_number Nullable(UInt64)',
    "ALTER TABLE requests ADD COLUMN IF NOT EXISTS cache_created_at Nullable(DateTime64(3, 'UTC'))",
  ],
};
