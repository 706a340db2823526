import type { Migration } from './migration.ts';

/** Jobs over stored requests, with their progress. */
export const jobs: Migration = {
  name: '0013-jobs',
  apply: async ({ schema }) => {
    await schema
      .createTable('jobs')
      // Dialect: as `pending_changes`, see 0002. It orders the jobs.
      .addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('undoes', 'text')
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('number', 'bigint')
      .addColumn('started_at', 'bigint')
      .addColumn('ended_at', 'bigint')
      .addColumn('total', 'bigint')
      .addColumn('changed', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('unchanged', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('changed_since', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('refused', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('gone', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('reached_at', 'bigint')
      .addColumn('reached_id', 'text')
      .addColumn('error', 'text')
      .execute();
    await schema.createIndex('jobs_of_organization').on('jobs').columns(['organization_id', 'seq']).execute();
    await schema.createIndex('jobs_by_undone').on('jobs').column('undoes').execute();
    await schema.createIndex('jobs_by_state').on('jobs').column('state').execute();
  },
};
