import type { Migration } from './migration.ts';

/** The operator's list prices are read and replaced as a whole, so they are one row. */
export const operatorPrices: Migration = {
  name: '0019-operator-prices',
  apply: async ({ schema }) => {
    await schema
      .createTable('operator_prices')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('prices', 'text', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .execute();
  },
};
