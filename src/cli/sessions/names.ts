import { sessionSortKeys } from '../../model/vocabulary/sort.ts';

/** Short names of an order's keys. */
export const shortSessionSorts: Readonly<Record<string, string>> = {
  time: 'latest_request_created_at',
  cost: 'total_cost',
  requests: 'total_requests',
  tokens: 'total_tokens',
  latency: 'avg_latency',
};

/** Orders that a shell completes. */
export const suggestedSessionSorts: readonly string[] = [...Object.keys(shortSessionSorts), ...Object.keys(sessionSortKeys)];
