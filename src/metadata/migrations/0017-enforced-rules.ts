import type { Migration } from './migration.ts';

/** The policy by which the gateway refuses calls beyond a rule; null: it only tells. A rule and its policy are one row, so neither is there alone. */
export const enforcedRules: Migration = {
  name: '0017-enforced-rules',
  apply: async ({ schema }) => {
    await schema.alterTable('alert_rules').addColumn('limit_policy', 'text').execute();
  },
};
