import type { Migration } from './migration.ts';

/** Finds the claims of an organisation that are of age without a look at the others. */
export const claimsByAge: Migration = {
  name: '0010-claims-by-age',
  apply: async ({ schema }) => {
    await schema.createIndex('request_id_claims_by_age').on('request_id_claims').columns(['organization_id', 'claimed_at']).execute();
  },
};
