import type { SchemaModule } from 'kysely';
import type { Migration } from './migration.ts';

/** States, incidents and history of alerts. */
export const alerts: Migration = {
  name: '0004-alerts',
  apply: async ({ schema }) => {
    await schema
      .createTable('alert_progress')
      .addColumn('number', 'integer', (column) => column.primaryKey())
      .addColumn('evaluated_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createTable('alert_rules_seen')
      .addColumn('rule_id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('measured_since', 'bigint', (column) => column.notNull())
      .addColumn('errors', 'integer', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('error_told', 'integer', (column) => column.notNull())
      .execute();
    await schema
      .createTable('alert_groups')
      .addColumn('rule_id', 'text', (column) => column.notNull())
      .addColumn('group_key', 'text', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('memory', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('alert_groups_key', ['rule_id', 'group_key'])
      .execute();
    await createRecords(schema);
  },
};

/** What is kept of the past. */
async function createRecords(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('alert_incidents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('rule_id', 'text', (column) => column.notNull())
    .addColumn('group_key', 'text', (column) => column.notNull())
    .addColumn('dimensions', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('peak', 'double precision')
    .addColumn('threshold', 'double precision', (column) => column.notNull())
    .addColumn('window_from', 'bigint', (column) => column.notNull())
    .addColumn('window_to', 'bigint', (column) => column.notNull())
    .addColumn('late', 'integer', (column) => column.notNull())
    .execute();
  await schema.createIndex('alert_incidents_of_rule').on('alert_incidents').columns(['rule_id', 'started_at']).execute();
  await schema
    .createTable('alert_history')
    // Dialect: Postgres wants `bigserial`. It orders the rows.
    .addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('rule_id', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('group_key', 'text', (column) => column.notNull())
    .addColumn('dimensions', 'text', (column) => column.notNull())
    .addColumn('value', 'double precision')
    .addColumn('threshold', 'double precision', (column) => column.notNull())
    .addColumn('window_from', 'bigint', (column) => column.notNull())
    .addColumn('window_to', 'bigint', (column) => column.notNull())
    .addColumn('incident_id', 'text')
    .addColumn('late', 'integer', (column) => column.notNull())
    .addColumn('value_before', 'double precision')
    .addColumn('reason', 'text')
    .execute();
  await schema.createIndex('alert_history_of_rule').on('alert_history').columns(['rule_id', 'seq']).execute();
  await schema
    .createTable('alert_windows')
    .addColumn('rule_id', 'text', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .addColumn('starts_at', 'bigint', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('alert_windows_key', ['rule_id', 'ends_at'])
    .execute();
}
