import type { UserMetricsQuery } from '../../client/client.ts';

type SortKey = keyof NonNullable<UserMetricsQuery['sort']>;

/** Keys of an order. */
export const userSorts = [
  'user_id',
  'active_for',
  'first_active',
  'last_active',
  'total_requests',
  'average_requests_per_day_active',
  'average_tokens_per_request',
  'total_completion_tokens',
  'total_prompt_tokens',
  'cost',
] as const satisfies readonly SortKey[];

/** Short names of them. */
export const shortUserSorts: Readonly<Record<string, SortKey>> = {
  user: 'user_id',
  requests: 'total_requests',
  latest: 'last_active',
  first: 'first_active',
  days: 'active_for',
};

/** Orders that a shell completes. */
export const suggestedUserSorts: readonly string[] = [...Object.keys(shortUserSorts), ...userSorts];
