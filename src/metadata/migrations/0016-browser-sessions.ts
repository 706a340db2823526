import type { Migration } from './migration.ts';

/** Browsers that are signed in. */
export const browserSessions: Migration = {
  name: '0016-browser-sessions',
  apply: async ({ schema }) => {
    await schema
      .createTable('browser_sessions')
      .addColumn('token_hash', 'text', (column) => column.primaryKey())
      .addColumn('key_hash', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema.createIndex('browser_sessions_of_key').on('browser_sessions').columns(['key_hash', 'created_at']).execute();
  },
};
