import type { Migration } from './migration.ts';

/** Stored requests that were changed, until every webhook that asks for updates has looked at them. */
export const updatedRequests: Migration = {
  name: '0003-updated-requests',
  apply: async ({ schema }) => {
    await schema
      .createTable('updated_requests')
      // Dialect: Postgres has an identity column for this.
      .addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('request_id', 'text', (column) => column.notNull())
      .addColumn('request_created_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema.createIndex('updated_requests_in_order').on('updated_requests').columns(['organization_id', 'seq']).execute();
    await schema
      .createTable('webhook_update_positions')
      .addColumn('webhook_id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .execute();
  },
};
