import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Changes of every kind wait in one table; updates of properties that wait already move there in their order. */
export const pendingChanges: Migration = {
  name: '0002-pending-changes',
  apply: async (queries) => {
    await queries.schema
      .createTable('pending_changes')
      // Dialect: as the table that this one replaces, see 0001.
      .addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('request_id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('accepted_at', 'bigint', (column) => column.notNull())
      .addColumn('number', 'bigint', (column) => column.notNull())
      .execute();
    await queries.schema.createIndex('pending_changes_by_request').on('pending_changes').column('request_id').execute();
    await sql`
      insert into pending_changes (organization_id, request_id, kind, content, key_id, accepted_at, number)
      select organization_id, request_id, 'property', properties, key_id, accepted_at, accepted_at * 1000 + seq % 1000
      from pending_property_updates order by seq`.execute(queries);
    await queries.schema.dropTable('pending_property_updates').execute();
  },
};
