import type { Migration } from './migration.ts';

/** Names of properties that lists leave out. They need no declaration. */
export const hiddenProperties: Migration = {
  name: '0012-hidden-properties',
  apply: async ({ schema }) => {
    await schema
      .createTable('hidden_properties')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('hidden_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('hidden_properties_key', ['organization_id', 'name'])
      .execute();
  },
};
