import type { Migration } from './migration.ts';

/** The tables into which every batch goes. */
const tables = ['requests', 'bodies'] as const;

/**
 * Parts are merged once ten of about one size lie there, instead of five: a row is written again half as often, and a query reads some parts more.
 * What that costs and saves stands in `docs/internals/decisions/0002-clickhouse-in-one-code-path.md`.
 */
export const fewerMerges: Migration = {
  number: 9,
  name: 'fewer merges',
  statements: tables.map((table) => `ALTER TABLE ${table} MODIFY SETTING merge_selector_base = 10`),
};
