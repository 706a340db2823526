import type { Migration } from './migration.ts';

/** The limits of an organisation are read and replaced as a whole, so they are one row. */
export const rateLimits: Migration = {
  name: '0003-rate-limits',
  apply: async ({ schema }) => {
    await schema
      .createTable('rate_limits')
      .addColumn('organization_id', 'text', (column) => column.primaryKey().references('organizations.id'))
      .addColumn('limits', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
