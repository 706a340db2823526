import { userSortKeys } from '../../model/vocabulary/sort.ts';

type SortKey = (typeof userSortKeys)[number];

export const shortUserSorts: Readonly<Record<string, SortKey>> = {
  user: 'user_id',
  requests: 'total_requests',
  errors: 'failed',
  latest: 'last_active',
  first: 'first_active',
  days: 'active_for',
};

/** Orders that a shell completes. */
export const suggestedUserSorts: readonly string[] = [...Object.keys(shortUserSorts), ...userSortKeys];
