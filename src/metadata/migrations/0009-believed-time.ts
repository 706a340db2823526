import type { Migration } from './migration.ts';

/** When the clock was believed last, in one row. */
export const believedTime: Migration = {
  name: '0009-believed-time',
  apply: async ({ schema }) => {
    await schema
      .createTable('believed_time')
      .addColumn('number', 'integer', (column) => column.primaryKey())
      .addColumn('believed_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
