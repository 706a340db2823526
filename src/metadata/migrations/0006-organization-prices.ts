import type { Migration } from './migration.ts';

/** The prices of an organisation are read and replaced as a whole, so they are one row. */
export const organizationPrices: Migration = {
  name: '0006-organization-prices',
  apply: async ({ schema }) => {
    await schema
      .createTable('organization_prices')
      .addColumn('organization_id', 'text', (column) => column.primaryKey().references('organizations.id'))
      .addColumn('prices', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
