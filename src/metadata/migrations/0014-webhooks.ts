import type { Migration } from './migration.ts';

/** Webhooks with their secrets. */
export const webhooks: Migration = {
  name: '0014-webhooks',
  apply: async ({ schema }) => {
    await schema
      .createTable('webhooks')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('destination', 'text', (column) => column.notNull())
      .addColumn('config', 'text', (column) => column.notNull())
      .addColumn('include_data', 'integer', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('previous_sealed', 'text')
      .addColumn('previous_ends_at', 'bigint')
      .addColumn('starts_after', 'bigint', (column) => column.notNull())
      .addColumn('disabled_at', 'bigint')
      .addColumn('disabled_reason', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema.createIndex('webhooks_of_organization').on('webhooks').columns(['organization_id', 'created_at']).execute();
  },
};
