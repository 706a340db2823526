import type { Migration } from './migration.ts';

/** Separates the part of a long body that filters do not read, and adds an index that shows at once whether such parts exist. */
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
