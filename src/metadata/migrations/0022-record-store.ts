import type { Migration } from './migration.ts';

/** In which store the records are: an embedded one, or one on servers. */
export const recordStore: Migration = {
  name: '0022-record-store',
  apply: async ({ schema }) => {
    await schema
      .createTable('record_store')
      .addColumn('number', 'integer', (column) => column.primaryKey())
      .addColumn('store_id', 'text', (column) => column.notNull())
      .addColumn('location', 'text', (column) => column.notNull())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('move', 'integer', (column) => column.notNull())
      .addColumn('moving_to', 'text')
      .execute();
  },
};
