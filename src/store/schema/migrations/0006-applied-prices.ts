import type { Migration } from './migration.ts';

/**
 * Explains a cost permanently and allows its recomputation: the applied price, and the billed counts without a column of their own. The
 * distinct texts of prices are few, whatever the number of rows.
 */
export const appliedPrices: Migration = {
  number: 6,
  name: 'applied prices',
  statements: [
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS applied_price LowCardinality(String)',
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS usage_parts Map(LowCardinality(String), UInt64)',
  ],
};
