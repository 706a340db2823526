import type { Migration } from './migration.ts';

/** Keys of providers, sealed: nothing in this database opens them. */
export const providerKeys: Migration = {
  name: '0004-provider-keys',
  apply: async ({ schema }) => {
    await schema
      .createTable('provider_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('hint', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    // Names are unique with their provider; keys without one are not compared, as null equals nothing.
    await schema
      .createIndex('provider_keys_by_name')
      .on('provider_keys')
      .columns(['organization_id', 'provider', 'name'])
      .unique()
      .execute();
  },
};
