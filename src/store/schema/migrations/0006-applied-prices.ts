import type { Migration } from './migration.ts';

/**
 * What explains a cost for good, and lets it be computed again: the price that was applied, and the counts that are billed apart and have no
 * column of their own. Texts of prices are few, however many the rows.
 */
export const appliedPrices: Migration = {
  number: 6,
  name: 'applied prices',
  statements: [
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS applied_price LowCardinality(String)',
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS usage_parts Map(LowCardinality(String), UInt64)',
  ],
};
