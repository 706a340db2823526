import type { Migration } from './migration.ts';

/**
 * How long an organisation keeps its records; and erasures of users that run or whose receipt nobody has fetched, with the exchanges that each
 * has taken out on their way to the store, so that none is counted twice.
 */
export const retentionAndErasures: Migration = {
  name: '0008-retention-and-erasures',
  apply: async ({ schema }) => {
    await schema
      .createTable('retention')
      .addColumn('organization_id', 'text', (column) => column.primaryKey().references('organizations.id'))
      .addColumn('days', 'integer', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createTable('erasures')
      // Dialect: as `pending_changes`, see 0002. A number is never used twice.
      .addColumn('number', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('erased_at', 'bigint', (column) => column.notNull())
      .addColumn('stage', 'text', (column) => column.notNull())
      .addColumn('requests', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('bodies', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('cache_entries', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('spool_records', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('dead_letters', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('blobs', 'bigint', (column) => column.notNull().defaultTo(0))
      .addUniqueConstraint('erasures_one_of_a_user', ['organization_id', 'user_id'])
      .execute();
    await schema
      .createTable('erased_exchanges')
      .addColumn('erasure', 'integer', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('request_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('erased_exchanges_key', ['organization_id', 'request_id', 'erasure'])
      .execute();
  },
};
