import type { Migration } from './migration.ts';

/** Which person has made an invitation, with whose rights it goes. Of earlier ones nobody knows; they hold for at most 30 days. */
export const inviters: Migration = {
  name: '0021-inviters',
  apply: async ({ schema }) => {
    await schema.alterTable('invitations').addColumn('invited_by', 'text').execute();
  },
};
