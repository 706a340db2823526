import type { Migration } from './migration.ts';

/** Rules of alerts with their channels, and to which organisations rules were offered. */
export const alertRules: Migration = {
  name: '0015-alert-rules',
  apply: async ({ schema }) => {
    await schema
      .createTable('alert_rules')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('rule', 'text', (column) => column.notNull())
      .addColumn('channels', 'text', (column) => column.notNull())
      .addColumn('offered', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('alert_rules_by_name', ['organization_id', 'name'])
      .execute();
    await schema
      .createTable('alert_offers')
      .addColumn('organization_id', 'text', (column) => column.primaryKey())
      .addColumn('offered_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
