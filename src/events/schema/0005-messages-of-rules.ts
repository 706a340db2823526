import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The messages of a rule, also those that went to a webhook of the organisation. */
export const messagesOfRules: Migration = {
  name: '0005-messages-of-rules',
  apply: async (queries) => {
    await queries.schema.alterTable('deliveries').addColumn('alert_id', 'text').execute();
    // Dialect: Postgres has `content::json ->> 'ruleId'` for this.
    await sql`update deliveries set alert_id = json_extract(content, '$.ruleId') where content is not null and type like 'alert.%'`.execute(
      queries,
    );
    await queries.schema.createIndex('deliveries_of_alert').on('deliveries').columns(['alert_id', 'id']).execute();
  },
};
