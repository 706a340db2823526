import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Users of erasures that run stand in the spelling of `nul-text.ts`. Those of before have no NUL, so that only the sign of the spelling changes. */
export const erasedUsersWithoutNul: Migration = {
  name: '0011-erased-users-without-nul',
  apply: async (queries) => {
    await queries
      .updateTable('erasures')
      .set({ user_id: sql<string>`replace(user_id, '%', '%25')` })
      .execute();
  },
};
