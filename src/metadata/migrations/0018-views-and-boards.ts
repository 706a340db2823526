import type { Migration } from './migration.ts';

/** States of pages under a name, and boards of charts. */
export const viewsAndBoards: Migration = {
  name: '0018-views-and-boards',
  apply: async ({ schema }) => {
    await schema
      .createTable('saved_views')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('page', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('search', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('saved_views_by_name', ['organization_id', 'page', 'name'])
      .execute();
    await schema
      .createTable('boards')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('time_range', 'text', (column) => column.notNull())
      .addColumn('panels', 'text', (column) => column.notNull())
      .addColumn('panel_count', 'integer', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('boards_by_name', ['organization_id', 'name'])
      .execute();
  },
};
