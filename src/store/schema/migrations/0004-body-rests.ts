import type { Migration } from './migration.ts';

/** What of a long body filters do not look at, apart from what they do; and an index that knows at once whether there is any. */
export const bodyRests: Migration = {
  number: 4,
  name: 'rests of long bodies',
  statements: [
    'ALTER TABLE bodies ADD COLUMN IF NOT EXISTS request_rest String CODEC(ZSTD(1))',
    'ALTER TABLE bodies ADD COLUMN IF NOT EXISTS response_rest String CODEC(ZSTD(1))',
    "ALTER TABLE bodies ADD INDEX IF NOT EXISTS request_is_long (request_rest != '') TYPE set(2) GRANULARITY 16",
    "ALTER TABLE bodies ADD INDEX IF NOT EXISTS response_is_long (response_rest != '') TYPE set(2) GRANULARITY 16",
  ],
};
