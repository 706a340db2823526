import type { Migration } from './migration.ts';

/** Retention removes deliveries by the time of their request. */
export const deliveriesByRequestTime: Migration = {
  name: '0002-deliveries-by-request-time',
  apply: async ({ schema }) => {
    await schema.createIndex('deliveries_by_request_time').on('deliveries').columns(['request_created_at', 'organization_id']).execute();
  },
};
