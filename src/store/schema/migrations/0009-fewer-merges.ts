import type { Migration } from './migration.ts';

const tables = ['requests', 'bodies'] as const;

/**
 * Merges parts once there are ten of about one size, instead of five: a row is rewritten half as often, and a query reads a few more
 * parts. Measured in `docs/internals/decisions/0002-clickhouse-in-one-code-path.md`.
 */
export const fewerMerges: Migration = {
  number: 9,
  name: 'fewer merges',
  statements: tables.map((table) => `ALTER TABLE ${table} MODIFY SETTING merge_selector_base = 10`),
};
