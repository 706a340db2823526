import type { Migration } from './migration.ts';

/** Deliveries, their attempts, what their targets told, and the positions of webhooks. */
export const deliveries: Migration = {
  name: '0001-deliveries',
  apply: async ({ schema }) => {
    await schema
      .createTable('deliveries')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('target', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('request_id', 'text')
      .addColumn('request_created_at', 'bigint')
      .addColumn('content', 'text')
      .addColumn('occurred_at', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('failure', 'text')
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('step', 'integer', (column) => column.notNull())
      .addColumn('due_at', 'bigint')
      .addColumn('ended_at', 'bigint')
      .execute();
    await schema.createIndex('deliveries_due').on('deliveries').columns(['target', 'state', 'due_at']).execute();
    await schema.createIndex('deliveries_of_target').on('deliveries').columns(['target', 'id']).execute();
    await schema.createIndex('deliveries_of_request').on('deliveries').column('request_id').execute();
    await schema
      .createTable('attempts')
      .addColumn('delivery_id', 'text', (column) => column.notNull())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('duration_ms', 'integer', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('status', 'integer')
      .addColumn('request_head', 'text')
      .addColumn('response_head', 'text')
      .addPrimaryKeyConstraint('attempts_key', ['delivery_id', 'number'])
      .execute();
    await schema
      .createTable('targets')
      .addColumn('target', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('failed_in_a_row', 'integer', (column) => column.notNull())
      .addColumn('failing_since', 'bigint')
      .addColumn('last_success_at', 'bigint')
      .addColumn('last_failure_at', 'bigint')
      .addColumn('noticed_at', 'bigint')
      .addColumn('disabling', 'text')
      .addColumn('pruned', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createTable('webhook_positions')
      .addColumn('webhook_id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .execute();
  },
};
