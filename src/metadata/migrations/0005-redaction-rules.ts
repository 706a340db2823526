import type { Migration } from './migration.ts';

/** The rules of an organisation are read and replaced as a whole, so they are one row. */
export const redactionRules: Migration = {
  name: '0005-redaction-rules',
  apply: async ({ schema }) => {
    await schema
      .createTable('redaction_rules')
      .addColumn('organization_id', 'text', (column) => column.primaryKey().references('organizations.id'))
      .addColumn('rules', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
