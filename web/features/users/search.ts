import { textParam } from '../../lib/search-param.ts';

/** Orders of the list, by the column that shows them. */
export const userSorts = [
  'cost',
  'total_requests',
  'failed',
  'total_prompt_tokens',
  'total_completion_tokens',
  'active_for',
  'first_active',
  'last_active',
] as const;

export type UserSort = (typeof userSorts)[number];

export const standardUserSort: UserSort = 'cost';

/** What the address of the page says beside the range of time. */
export interface UsersSearch {
  /** The search, in the language of `src/query/language`. */
  readonly q?: string | undefined;
  readonly sort?: UserSort | undefined;
  readonly order?: 'asc' | undefined;
}

export function usersSearchOf({ q, sort, order }: Readonly<Record<string, unknown>>): UsersSearch {
  const known = userSorts.find((name) => name === sort);
  return {
    q: textParam(q),
    ...(known === undefined ? {} : { sort: known }),
    ...(order === 'asc' ? { order } : {}),
  };
}
